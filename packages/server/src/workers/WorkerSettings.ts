/** Defines how often workers poll, and how many jobs of each kind run concurrently in a process. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

export const WorkerSettings = Context.Reference("@partner-commentary/reference/WorkerSettings", {
  defaultValue: () => ({
    /**
     * The interval at which a worker polls the database for work from other processes. A signal starts the poll for
     * work from the same process.
     */
    pollInterval: Duration.seconds(1),
    /**
     * The delay before a worker retries due work that could not start. The delay is never longer than the poll
     * interval.
     */
    pause: Duration.seconds(1),
    /**
     * The maximum number of concurrent drafts in each environment. One organization gets at most half of the slots for
     * drafts.
     */
    drafts: 32,
    /**
     * The maximum number of mails that are sent concurrently. The Node and Lambda hosts set `mails` to the number of
     * connections to the mail server.
     */
    mails: 16,
    /**
     * The number of slots is high, so that hundreds of unresponsive receivers cannot block deliveries to other
     * receivers.
     */
    deliveries: 1000,
    media: 4
  })
})
