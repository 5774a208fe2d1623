/**
 * Helpers for audio and video tests: a topic with an approved commentary, the partner's view of the topic, and a
 * function that runs due jobs without workers.
 */

import { ShareId } from "@partner-commentary/core/shared/Ids"
import type { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import { drain as drainFor } from "@partner-commentary/server/Workers"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { registerWebhook } from "./DeliveryCalls.ts"
import { eventually } from "./Eventually.ts"
import { actAsCreator, findCreatorToken, getJson, submitTopic } from "./Requests.ts"

export const startTime = Date.parse("2026-03-01T09:00:00.000Z")
export const approvedText = "They will win it."

/** Provides a service that supports these media and runs no workers. */
export const layerWithMedia = (...media: ReadonlyArray<MediaKind>) => InMemory.layerWithoutWorkers({ media })

/** Runs all jobs that are due. */
export const drainJobs = drainFor({
  claimFor: Duration.minutes(5),
  runFor: Duration.minutes(6),
  lookahead: Duration.zero
})

/**
 * Creates a topic with these output types. The creator approves `approvedText`, and the jobs that this approval causes
 * have not run yet.
 */
export const createApprovedTopic = Effect.fnUntraced(function* (
  outputTypes: ReadonlyArray<string>,
  content = "Who takes the title this season?",
  more: { readonly webhook_ids?: ReadonlyArray<string> } = {}
) {
  if ((yield* Clock.currentTimeMillis) === 0) yield* TestClock.setTime(startTime)
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  yield* registerWebhook(key, ["creator.approved"])
  const topicId = yield* submitTopic(key, content, [persona], {
    external_reference: "title",
    output_types: outputTypes,
    ...more
  })
  yield* drainJobs
  const token = yield* findCreatorToken(persona, content)
  yield* actAsCreator(token, "respond", { perspective: "They will win it, and by some distance." })
  yield* drainJobs
  // Wait here, because background workers may still be running.
  yield* eventually(
    "a draft",
    Effect.map(getJson(key, `/topics/${topicId}/status`), ({ data }) => data.summary.commentary_generated === 1)
  )
  yield* actAsCreator(token, "approve", { content: approvedText })
  const reference = yield* getJson(key, "/topics/by-reference/title")
  const entry = Effect.map(getJson(key, `/topics/${topicId}/commentaries`), ({ data }) => data.commentaries[0])
  const urls = Effect.map(entry, ({ audio_url, video_url }) => [audio_url, video_url])
  const shareId = ShareId.make(reference.data.commentaries[0].share_id)
  return { entry, key, persona, shareId, token, topicId, urls }
})
