/** How often workers poll, and how many jobs of each kind run concurrently in a process. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

export const WorkerSettings = Context.Reference("@partner-commentary/server/WorkerSettings", {
  defaultValue: () => ({
    /**
     * How often a worker polls the database for work of other processes. For work of this process, a signal wakes the
     * worker.
     */
    pollInterval: Duration.seconds(1),
    /** The wait before due work that failed to start is retried, at most the poll interval. */
    pause: Duration.seconds(1),
    /** The number of drafts for each environment. One organization gets at most half of the slots. */
    drafts: 32,
    mails: 16,
    /** There are enough slots that hundreds of hung receivers do not block other receivers. */
    deliveries: 1000,
    media: 4
  })
})
