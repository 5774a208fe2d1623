/** Submits a validated topic, alone or as part of a bulk request, and creates the response. */
import * as Errors from "@partner-commentary/api/Errors"
import type { CreateTopic } from "@partner-commentary/api/TopicsApi"
import * as Ids from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { NoValidPersonas, Submission } from "@partner-commentary/core/topic/Submission"
import type { TestStorageFull } from "@partner-commentary/core/topic/TestStorage"
import { type Submitter, Topics } from "@partner-commentary/core/topic/Topics"
import { billingPeriodBounds } from "@partner-commentary/core/usage/BillingPeriod"
import type { QuotaExceeded } from "@partner-commentary/core/usage/Quota"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Views from "./TopicViews.ts"

/** `prepare` may call other systems; `submit` is one transaction. */
export const make = Effect.map(Topics, (topics) => ({
  prepare: (asker: Submitter, body: typeof CreateTopic.Type) =>
    Effect.catchTags(
      topics.prepare(asker, {
        content: body.content,
        personaIds: body.persona_ids.flatMap((id) => Option.toArray(Ids.parse(Ids.PersonaId, id))),
        externalReference: body.external_reference ?? null,
        outputTypes: body.output_types ?? ["text"],
        metadata: body.metadata ?? {}
      }),
      {
        // The body was validated before, so a failure here would be a defect.
        InvalidContent: (broken) => Effect.die(broken),
        NoValidPersonas: noValidPersonas
      }
    ),

  submit: (submission: Submission) =>
    Effect.map(
      Effect.catchTags(topics.submit(submission), {
        NoValidPersonas: noValidPersonas,
        QuotaExceeded: quotaExceeded,
        TestStorageFull: testStorageFull
      }),
      ({ results, sent, topic }) => Views.created(topic, results, sent.length)
    )
}))

const noValidPersonas = ({ results }: NoValidPersonas) =>
  Effect.fail(Errors.NoValidPersonas.of(results.map(Views.result)))

/** The quota renews with the next billing period. */
const quotaExceeded = Effect.fnUntraced(function* ({ limit, quota, remaining }: QuotaExceeded) {
  const now = yield* Instant.now
  const wait = Math.ceil((billingPeriodBounds(now).end - now) / 1000)
  return yield* Errors.RateLimitExceeded.of({ retry_after: wait, limit, remaining, quota })
})

/** Test topics are deleted by whole UTC days, so space is available at the next day at the earliest. */
const testStorageFull = Effect.fnUntraced(function* ({ limit, quota, remaining }: TestStorageFull) {
  const now = yield* Instant.now
  const wait = Math.max(1, Math.ceil((Instant.startOfDay(Instant.plus(now, day)) - now) / 1000))
  return yield* Errors.RateLimitExceeded.ofTests({ retry_after: wait, limit, remaining, quota })
})

const day = Duration.days(1)
