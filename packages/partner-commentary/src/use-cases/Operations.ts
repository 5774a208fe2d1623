/** `pc.operations`: runs due work on a schedule, deletes expired data, and reports problems. */
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import { Creators } from "@partner-commentary/core/creator/Creators"
import { Retention } from "@partner-commentary/core/operations/Retention"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { Policy } from "@partner-commentary/core/shared/Policy"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { drain } from "@partner-commentary/server/Workers"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { deletionLimits, keptMails } from "../administration/Deletion.ts"
import { ofFunctions } from "../doctor/Advice.ts"
import type { Finding } from "../doctor/Finding.ts"
import { licences } from "../doctor/Licences.ts"
import * as StoredWebhooks from "../doctor/StoredWebhooks.ts"
import * as StoredWork from "../doctor/StoredWork.ts"
import { type HostDate, moment } from "../ports/Moment.ts"
import { decoding, type Run } from "./UseCase.ts"

const since = decoding(Schema.Struct({ since: Schema.optional(moment) }))

/** Skip drafts whose deadline has passed, because they cannot be restarted. */
const retryDrafts = Effect.gen(function* () {
  const creators = yield* Creators
  const stalled = yield* (yield* AssignmentStore).stalled
  const outcomes = yield* Effect.forEach(stalled, (id) => Effect.result(creators.retryGeneration(id)))
  return outcomes.filter(Result.isSuccess).length
})

export interface Doctor {
  /** False if something does not work until the operator acts. */
  readonly ok: boolean
  readonly findings: ReadonlyArray<Finding>
}

export const operations = (run: Run) => ({
  /**
   * Runs jobs until nothing is due or the time is over, for a service with `workers: false` that calls it on a
   * schedule.
   */
  drain: ({ timeout = 60_000 }: { /** Milliseconds, by default 60,000. */ readonly timeout?: number } = {}) => {
    const end = Duration.millis(timeout)
    const limits = { claimFor: Duration.times(end, 0.75), runFor: end, lookahead: Duration.zero }
    return run(Effect.map(drain(limits), ({ failed, isMoreDue, taken }) => ({ taken, failed, more_due: isMoreDue })))
  },

  /** Deletes expired mails, events and stored responses. With `dry_run` it only counts them. */
  purge: ({ dry_run = false }: { readonly dry_run?: boolean } = {}) =>
    run(
      Effect.gen(function* () {
        const retention = yield* Retention
        const before = deletionLimits(yield* Instant.now, (yield* Policy).testRetention)
        const { testTopics, ...rows } = yield* dry_run ? retention.count(before) : retention.purge(before)
        return { ...rows, test_topics: testTopics, dry_run }
      })
    ),

  /** Reports what works and what the operator must repair, and changes nothing. */
  doctor: (): Promise<Doctor> =>
    run(
      Effect.map(
        Effect.all([
          Effect.all([
            StoredWork.mails(ofFunctions),
            StoredWork.waitingMails,
            StoredWork.generations(ofFunctions),
            StoredWork.waitingDrafts,
            StoredWork.work(ofFunctions),
            StoredWork.media(ofFunctions, "the option speech"),
            StoredWebhooks.deliveries(ofFunctions),
            StoredWebhooks.secrets(ofFunctions, "the option secret"),
            StoredWebhooks.disabled(ofFunctions)
          ]),
          licences(ofFunctions)
        ]),
        ([work, licensed]) => {
          const findings: ReadonlyArray<Finding> = [...work, ...licensed]
          return { ok: findings.every(({ state }) => state !== "mend"), findings }
        }
      )
    ),

  /** Restarts failed work: mails since a given time (by default 7 days ago), drafts, audio and video. */
  retry: (given: { readonly since?: HostDate | string | undefined } = {}) =>
    run(
      Effect.gen(function* () {
        const now = yield* Instant.now
        const from = (yield* since(given)).since ?? Instant.plus(now, Duration.negate(keptMails))
        return {
          mails: yield* Creators.use(({ resendFailed }) => resendFailed(from)),
          drafts: yield* retryDrafts,
          media: yield* MediaJobStore.use(({ restart }) => restart(null, now))
        }
      })
    )
})
