/** How often workers poll, and how many jobs of each kind run concurrently in a process. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

export const WorkerSettings = Context.Reference("@partner-commentary/reference/WorkerSettings", {
  defaultValue: () => ({
    /**
     * How often a worker polls the database for work that other processes created. Work of this process wakes the
     * worker by a signal.
     */
    pollInterval: Duration.seconds(1),
    /** The delay before due work that failed to start is retried. It is at most the poll interval. */
    pause: Duration.seconds(1),
    /** The number of drafts for each environment. One organization gets at most half of the slots. */
    drafts: 32,
    mails: 16,
    /** The number is so high that hundreds of receivers that do not respond cannot block other receivers. */
    deliveries: 1000,
    media: 4
  })
})
