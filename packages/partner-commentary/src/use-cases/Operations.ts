/** `pc.operations`: work on a schedule, and deletion of what is no longer needed. */
import { Retention } from "@partner-commentary/core/operations/Retention"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { Policy } from "@partner-commentary/core/shared/Policy"
import { drain } from "@partner-commentary/server/Workers"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { deletionLimits } from "../administration/Deletion.ts"
import type { Run } from "./UseCase.ts"

export const operations = (run: Run) => ({
  /** Works until nothing is due or the time is up: for a service with `workers: false` that is called on a schedule. */
  drain: ({ timeout = 60_000 }: { /** Milliseconds; 60,000 unless given. */ readonly timeout?: number } = {}) => {
    const end = Duration.millis(timeout)
    const limits = { claimFor: Duration.times(end, 0.75), runFor: end, lookahead: Duration.zero }
    return run(Effect.map(drain(limits), ({ failed, isMoreDue, taken }) => ({ taken, failed, more_due: isMoreDue })))
  },

  /** Deletes old mails, events and answers. `dry_run` counts them only. */
  purge: ({ dry_run = false }: { readonly dry_run?: boolean } = {}) =>
    run(
      Effect.gen(function* () {
        const retention = yield* Retention
        const before = deletionLimits(yield* Instant.now, (yield* Policy).testRetention)
        const { testTopics, ...rows } = yield* dry_run ? retention.count(before) : retention.purge(before)
        return { ...rows, test_topics: testTopics, dry_run }
      })
    )
})
