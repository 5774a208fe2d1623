/** How often workers poll, and how many jobs of each kind run at one time in a process. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

export const WorkerSettings = Context.Reference("@partner-commentary/server/WorkerSettings", {
  defaultValue: () => ({
    /** How often the database is polled for work of other processes; a signal announces work of this process. */
    pollInterval: Duration.seconds(1),
    /** The wait before due work that could not be done is tried again, at most the poll interval. */
    pause: Duration.seconds(1),
    /** Drafts, for each environment. One organization gets half of them at most. */
    attempts: 32,
    mails: 16,
    /** Enough that hundreds of hung receivers leave slots to others. */
    deliveries: 1000,
    media: 4
  })
})
