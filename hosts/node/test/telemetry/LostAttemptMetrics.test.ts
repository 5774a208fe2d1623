/** Tests the counts of last attempts at drafts and media that had no result. */
import { assert, it } from "@effect/vitest"
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import { DueAssignments } from "@partner-commentary/core/operations/DueAssignments"
import { ShareId } from "@partner-commentary/core/shared/Ids"
import { defaults } from "@partner-commentary/core/shared/Policy"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as LostAttemptMetrics from "../../src/telemetry/LostAttemptMetrics.ts"

const shareId = ShareId.make("019c0e1b-7c4e-7000-8000-2f6d1c9e4b10")

const failures = (work: "drafts" | "media") =>
  Effect.map(Metric.snapshot, (metrics) =>
    metrics.filter(({ attributes, id }) => {
      return id === `partner_commentary_${work}_total` && attributes?.["outcome"] === "failure"
    })
  )

const isCounted = Effect.fnUntraced(function* (work: "drafts" | "media", step: Effect.Effect<unknown>) {
  const before = JSON.stringify(yield* failures(work))
  yield* step
  return JSON.stringify(yield* failures(work)) !== before
})

it.effect("media_total counts a final failure of media only if no call of the last attempt was counted", () => {
  const store = Layer.mock(MediaJobStore, { settle: () => Effect.void })
  return Effect.gen(function* () {
    const { settle } = yield* MediaJobStore
    const settled = (attempts: number, state: "failed" | "released") =>
      settle({ shareId, kind: "audio", name: "a", attempts, ticket: attempts }, { state, reason: "" }, 0)
    const last = defaults.mediaRetries.length + 1
    assert.isFalse(yield* isCounted("media", settled(last, "failed")))
    assert.isFalse(yield* isCounted("media", settled(last + 1, "released")))
    assert.isTrue(yield* isCounted("media", settled(last + 1, "failed")))
  }).pipe(Effect.provide(Layer.provide(LostAttemptMetrics.mediaLayer(defaults), store)))
})

it.effect("drafts_total counts a draft only if its last attempt was lost", () => {
  const begun = Option.none()
  const dueAssignments = Layer.mock(DueAssignments, {
    wake: (_, mayBegin) => Effect.succeed({ woke: true, begun, lostLastAttempt: mayBegin })
  })
  return Effect.gen(function* () {
    const { wake } = yield* DueAssignments
    assert.isFalse(yield* isCounted("drafts", wake(shareId, false)))
    assert.isTrue(yield* isCounted("drafts", wake(shareId, true)))
  }).pipe(Effect.provide(Layer.provide(LostAttemptMetrics.draftsLayer, dueAssignments)))
})
