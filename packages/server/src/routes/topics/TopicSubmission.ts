/** Submits a validated topic, alone or as part of a bulk request, and maps the result for the response. */

import type { CreateTopicBody } from "@partner-commentary/api/CreateTopicBody"
import * as Errors from "@partner-commentary/api/Errors"
import * as Ids from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { Policy } from "@partner-commentary/core/shared/Policy"
import type { NoValidPersonas, Submission } from "@partner-commentary/core/topic/Submission"
import type { TestStorageFull } from "@partner-commentary/core/topic/TestStorage"
import { type SubmittingCaller, Topics } from "@partner-commentary/core/topic/Topics"
import { calculateBillingPeriodBounds } from "@partner-commentary/core/usage/BillingPeriod"
import type { QuotaExceeded } from "@partner-commentary/core/usage/Quota"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { parseBodyTime } from "../../http/BodyTime.ts"
import * as Views from "./TopicViews.ts"

/**
 * Creates the steps `prepare` and `submit` of a submission. `prepare` may call other systems, and `submit` runs in one
 * transaction.
 */
export const make = Effect.gen(function* () {
  const topics = yield* Topics
  const webhooks = yield* WebhookStore
  const { deadlineRange } = yield* Policy

  /** Returns a problem for each id that does not belong to a webhook of the submitter. */
  const webhookProblems = Effect.fnUntraced(function* (
    { environment, organization }: SubmittingCaller,
    ids: ReadonlyArray<Ids.WebhookId>
  ) {
    if (ids.length === 0) return none
    const known = yield* webhooks.list({ organizationId: organization.id, environment })
    const own = new Set(known.map(({ id }) => id))
    return ids.flatMap((id, index) =>
      own.has(id) ? [] : [{ field: `webhook_ids[${index}]`, constraint: unknownWebhook }]
    )
  })

  return {
    /**
     * Prepares the submission of a topic. `place` converts the field path of a problem to a path in the whole request
     * body.
     */
    prepare: Effect.fnUntraced(function* (
      asker: SubmittingCaller,
      body: typeof CreateTopicBody.Type,
      place: (problem: Errors.RequestProblem) => Errors.RequestProblem = (problem) => problem
    ) {
      const webhookIds = parseIds(Ids.WebhookId, body.webhook_ids ?? [])
      const respondBy = body.respond_by === undefined ? null : parseBodyTime(body.respond_by)
      const problems: ReadonlyArray<Errors.RequestProblem> = [
        ...(yield* webhookProblems(asker, webhookIds)),
        ...deadlineProblems(respondBy, yield* Instant.now, deadlineRange)
      ]
      const [first, ...rest] = problems.map(place)
      if (first !== undefined) return yield* Errors.InvalidRequest.of([first, ...rest])
      const wanted = {
        content: body.content,
        personaIds: parseIds(Ids.PersonaId, body.persona_ids),
        externalReference: body.external_reference ?? null,
        outputTypes: body.output_types ?? ["text" as const],
        metadata: body.metadata ?? {},
        webhookIds: body.webhook_ids === undefined ? null : webhookIds,
        respondBy
      }
      return yield* Effect.catchTags(topics.prepare(asker, wanted), {
        // The request body was already validated, so invalid content would be a defect.
        InvalidContent: (broken) => Effect.die(broken),
        NoValidPersonas: noValidPersonas
      })
    }),

    submit: (submission: Submission) =>
      Effect.map(
        Effect.catchTags(topics.submit(submission), {
          NoValidPersonas: noValidPersonas,
          QuotaExceeded: quotaExceeded,
          TestStorageFull: testStorageFull
        }),
        ({ results, sent, topic }) => Views.toCreatedTopic(topic, results, sent.length)
      )
  }
})

const deadlineProblems = (
  respondBy: Instant.Instant | null,
  now: Instant.Instant,
  { max, min }: Policy["deadlineRange"]
): ReadonlyArray<Errors.RequestProblem> => {
  const [earliest, latest] = [Instant.plus(now, min), Instant.plus(now, max)]
  if (respondBy === null || (respondBy >= earliest && respondBy <= latest)) return []
  const constraint = `must be from ${Instant.toIso(earliest)} to ${Instant.toIso(latest)}`
  return [{ field: "respond_by", constraint }]
}

const none: ReadonlyArray<Errors.RequestProblem> = []

const unknownWebhook = "must be the id of one of your webhooks in the key's environment"

const parseIds = <Id extends string>(schema: Schema.Codec<Id, string>, ids: ReadonlyArray<string>): ReadonlyArray<Id> =>
  ids.flatMap((id) => Option.toArray(Ids.parse(schema, id)))

const noValidPersonas = ({ results }: NoValidPersonas) =>
  Effect.fail(Errors.NoValidPersonas.of(results.map(Views.toSubmissionResult)))

/** Returns the error for a used-up quota. A quota is reset at the start of the next billing period. */
const quotaExceeded = Effect.fnUntraced(function* ({ limit, quota, remaining }: QuotaExceeded) {
  const now = yield* Instant.now
  const wait = Math.ceil((calculateBillingPeriodBounds(now).end - now) / 1000)
  return yield* Errors.RateLimitExceeded.of({ retry_after: wait, limit, remaining, quota })
})

/**
 * Returns the error for full test storage. Test topics are deleted by whole UTC days, so storage becomes free on the
 * next day at the earliest.
 */
const testStorageFull = Effect.fnUntraced(function* ({ limit, quota, remaining }: TestStorageFull) {
  const now = yield* Instant.now
  const wait = Math.max(1, Math.ceil((Instant.startOfDay(Instant.plus(now, day)) - now) / 1000))
  return yield* Errors.RateLimitExceeded.ofTests({ retry_after: wait, limit, remaining, quota })
})

const day = Duration.days(1)
