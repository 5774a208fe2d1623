/** Provides `pc.operations`, which runs due work on a schedule, deletes expired data and reports problems. */
import { Retention } from "@partner-commentary/core/operations/Retention"
import { retryFailedWork } from "@partner-commentary/core/operations/Retry"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { Policy } from "@partner-commentary/core/shared/Policy"
import {
  isPositive,
  makeOptionalOption,
  makeStructOption,
  optionalBooleanOption,
  strictParseOptions
} from "@partner-commentary/server/embedding/OptionRules"
import { drain } from "@partner-commentary/server/Workers"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { calculateDeletionCutoffs, mailRetention } from "../administration/Deletion.ts"
import { doctorAdviceForEmbeddedService } from "../doctor/Advice.ts"
import type { DoctorFinding } from "../doctor/Finding.ts"
import { diagnoseLicences } from "../doctor/Licences.ts"
import * as StoredWebhooks from "../doctor/StoredWebhooks.ts"
import * as StoredWork from "../doctor/StoredWork.ts"
import { type HostDate, HostStartDateSchema } from "../ports/Moment.ts"
import { makeDecoder, type RunUseCase } from "./UseCase.ts"

// Reject unknown fields, because a call with a misspelled `dry_run` would delete data.
const drained = makeDecoder(
  makeStructOption({
    timeout: makeOptionalOption((value) => isPositive(value) || "must be a positive number of milliseconds")
  }),
  strictParseOptions
)
const purged = makeDecoder(makeStructOption({ dry_run: optionalBooleanOption }), strictParseOptions)
const since = makeDecoder(makeStructOption({ since: Schema.optional(HostStartDateSchema) }), strictParseOptions)

export interface DoctorReport {
  /** False if a part of the service does not work until the operator acts. */
  readonly ok: boolean
  readonly findings: ReadonlyArray<DoctorFinding>
}

export const makeOperationUseCases = (run: RunUseCase) => ({
  /**
   * Runs jobs until no work is due, or until the time limit, at which unfinished jobs are released for a later run.
   * Call `drain` on a schedule if the option `workers` is `false`. If an SMTP server has received a whole mail, the run
   * waits up to 5 seconds longer for the server's reply.
   */
  drain: (
    given: { /** The time limit in milliseconds. The default is 60,000. */ readonly timeout?: number | undefined } = {}
  ) =>
    run(
      Effect.gen(function* () {
        yield* drained(given)
        const end = Duration.millis(given.timeout ?? 60_000)
        const limits = { claimFor: Duration.times(end, 0.75), runFor: end, lookahead: Duration.zero }
        const { failed, isMoreDue, taken } = yield* drain(limits)
        return { taken, failed, more_due: isMoreDue }
      })
    ),

  /** Deletes expired mails, events and stored responses. With `dry_run`, the call only counts the expired data. */
  purge: (given: { readonly dry_run?: boolean | undefined } = {}) =>
    run(
      Effect.gen(function* () {
        yield* purged(given)
        const { dry_run = false } = given
        const retention = yield* Retention
        const before = calculateDeletionCutoffs(yield* Instant.now, (yield* Policy).testRetention)
        const { testTopics, ...rows } = yield* dry_run ? retention.count(before) : retention.purge(before)
        return { ...rows, test_topics: testTopics, dry_run }
      })
    ),

  /**
   * Checks the stored work, webhooks, personas and licences, and reports the problems that the operator must repair,
   * without changing data.
   */
  doctor: (): Promise<DoctorReport> =>
    run(
      Effect.map(
        Effect.all([
          Effect.all([
            StoredWork.diagnoseFailedMails(doctorAdviceForEmbeddedService),
            StoredWork.diagnoseMailsAwaitingRetry,
            StoredWork.diagnoseFailedGenerations(doctorAdviceForEmbeddedService),
            StoredWork.diagnoseDraftsAwaitingRetry,
            StoredWork.diagnoseOverdueWork(doctorAdviceForEmbeddedService),
            StoredWork.diagnoseFailedMedia(doctorAdviceForEmbeddedService, "the option speech"),
            StoredWebhooks.diagnoseOverdueDeliveries(doctorAdviceForEmbeddedService),
            StoredWebhooks.diagnoseUndecryptableSecrets(doctorAdviceForEmbeddedService, "the option secret"),
            StoredWebhooks.diagnoseDisabledWebhooks(doctorAdviceForEmbeddedService)
          ]),
          diagnoseLicences(doctorAdviceForEmbeddedService)
        ]),
        ([work, licensed]) => {
          const findings: ReadonlyArray<DoctorFinding> = [...work, ...licensed]
          return { ok: findings.every(({ state }) => state !== "mend"), findings }
        }
      )
    ),

  /**
   * Restarts work that failed permanently. Mails are restarted only if they failed after `since`, by default 7 days
   * ago. Failed drafts, audio and video are restarted even if they failed earlier.
   */
  retry: (given: { readonly since?: HostDate | string | undefined } = {}) =>
    run(
      Effect.gen(function* () {
        const from = (yield* since(given)).since
        return yield* retryFailedWork(from ?? Instant.plus(yield* Instant.now, Duration.negate(mailRetention)))
      })
    )
})
