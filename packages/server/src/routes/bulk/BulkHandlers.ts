/**
 * Handles bulk submissions. The topics are submitted one after another, each in its own transaction. With an
 * idempotency key, each topic's result is stored in its transaction, so that a repeated request continues after the
 * last stored result. For a rejected topic, only the topic's entry in the response is stored.
 */

import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import { bulkRefusals } from "@partner-commentary/api/BulkApi"
import * as Errors from "@partner-commentary/api/Errors"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import type { Topic } from "@partner-commentary/api/TopicsApi"
import type { Principal } from "@partner-commentary/core/access/ApiKeys"
import { toOwner } from "@partner-commentary/core/access/Ownership"
import { RateLimits } from "@partner-commentary/core/access/RateLimits"
import { Policy } from "@partner-commentary/core/shared/Policy"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { bodyTooLargeProblem, readJsonBodyText } from "../../http/Body.ts"
import * as Envelope from "../../http/Envelope.ts"
import { countAndRecordCall, makeRateLimitError } from "../../middleware/Authorization.ts"
import type { RunIdempotentPart } from "../../middleware/IdempotentRequests.ts"
import * as IdempotentRequests from "../../middleware/IdempotentRequests.ts"
import { getCurrentRequestRecord } from "../../middleware/RequestRecord.ts"
import { makeTopicJsonDecoder } from "../topics/TopicBody.ts"
import * as TopicSubmission from "../topics/TopicSubmission.ts"
import { addTopicIndexToField, isTopicTooLarge, splitBulkBodyIntoTopics } from "./BulkBody.ts"

const isRefusal = (error: unknown): error is InstanceType<(typeof bulkRefusals)[number]> =>
  bulkRefusals.some((refusal) => error instanceof refusal)

/** Returns whether the JSON text of a result has the status `created`. */
const isCreated = (text: string): boolean => /^\{"index":\d+,"status":"created"/.test(text)

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "bulk",
  Effect.fnUntraced(function* (handlers) {
    const decode = makeTopicJsonDecoder((yield* Policy).contentLength)
    const submissions = yield* TopicSubmission.make
    const answerOnce = yield* IdempotentRequests.make
    const limits = yield* RateLimits

    /** Counts each topic as one submission in the rate limit. */
    const spend = (principal: Principal) =>
      Effect.flatMap(getCurrentRequestRecord, (record) =>
        countAndRecordCall(limits.countEndpoint(principal, "topic_submissions_per_hour"), record)
      )

    const read = (text: string, index: number) =>
      Effect.mapError(
        isTopicTooLarge(text) ? Effect.fail([bodyTooLargeProblem] as const) : decode(text),
        ([first, ...rest]) =>
          Errors.InvalidRequest.of([
            addTopicIndexToField(index, first),
            ...rest.map((problem) => addTopicIndexToField(index, problem))
          ])
      )

    /** Submits one topic and returns the JSON text of the result. */
    const one = (principal: Principal, text: string, index: number, once: RunIdempotentPart) => {
      const created = (topic: typeof Topic.Type) => JSON.stringify({ index, status: "created", topic })
      return spend(principal).pipe(
        // Count the submission before the validation, because validation is expensive.
        Effect.flatMap(() => read(text, index)),
        Effect.flatMap((body) =>
          submissions.prepare(principal, body, (problem: Errors.RequestProblem) => addTopicIndexToField(index, problem))
        ),
        Effect.flatMap((submission) => once(Effect.map(submissions.submit(submission), created))),
        Effect.catchIf(isRefusal, ({ error }) => Effect.succeed(JSON.stringify({ index, status: "refused", error })))
      )
    }

    return handlers.handleRaw(
      "create",
      Effect.fnUntraced(function* ({ headers, request }) {
        const principal = yield* CurrentPrincipal
        return yield* answerOnce({ headers, request, owner: toOwner(principal) }, ({ once, part }) =>
          Effect.gen(function* () {
            const texts = yield* Effect.mapError(splitBulkBodyIntoTopics(yield* readJsonBodyText(request)), (problem) =>
              Errors.InvalidRequest.of([problem])
            )
            const results = yield* Effect.forEach(texts, (text, index) =>
              // The handler yields between topics, so that other requests can run.
              Effect.andThen(
                Effect.yieldNow,
                part(`topics[${index}]`, (once) => one(principal, text, index, once))
              )
            )
            const isStored = headers["idempotency-key"] !== undefined && !results.some(isCreated)
            if (isStored) yield* Effect.mapError(limits.countStoredRefusals(principal.organization), makeRateLimitError)
            const body = `{"success":true,"data":{"results":[${results.join(",")}]}}`
            return yield* once(Effect.succeed(Envelope.makeJsonResponse(body)))
          })
        )
      })
    )
  })
)
