/** Reads through the ports how many topics and quota units an owner has used. */
import { assert } from "@effect/vitest"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import * as Effect from "effect/Effect"

/** Returns the owner's number of topics and reserved quota units in the month of the fixtures. */
export const readTopicUsage = Effect.fnUntraced(function* (owner: Owner) {
  const topics = yield* TopicStore
  const usage = yield* UsageStore
  const list = yield* topics.list({ owner: { ...owner }, status: null, limit: 100, from: { offset: 0 } })
  const month = yield* usage.ofMonth(owner, "2026-01")
  assert.strictEqual(list.items.length, list.total)
  return { topics: list.total, held: month.topics, units: month.commentaryUnits }
})
