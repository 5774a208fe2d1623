/** Creates an owner with assignments of two days in every state, and an effect that reads the owner's daily metrics. */
import { summarizeMetrics } from "@partner-commentary/core/performance/Metrics"
import { PerformanceStore } from "@partner-commentary/core/performance/PerformanceStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "../support/Creator.ts"
import { day, makePersona, makeSubmission, minute, makeOwner as ownerOf, start } from "../support/Fixtures.ts"

export const makeMetricsFixture = Effect.gen(function* () {
  const topics = yield* TopicStore
  const owner = ownerOf()
  const [ada, bo] = [makePersona({ name: "Ada" }), makePersona({ name: "Bo" })]
  const sendOne = Effect.fnUntraced(function* (createdAt: number, index: number) {
    const { sent } = yield* topics.submit(makeSubmission({ personas: [ada, bo], topic: { ...owner, createdAt } }))
    const [first, second] = sent
    if (first === undefined || second === undefined) return yield* Effect.die("nothing was sent")
    yield* Creator.deliverRequest(first)
    if (createdAt !== start + 2 * day) yield* TestClock.setTime(createdAt + index * minute)
    yield* Creator.respondAndDraft(first)
    if (index % 3 > 0) yield* Creator.approve(first)
    if (index % 3 === 1) yield* Creator.decline(second)
  })
  for (let index = 0; index < 12; index++) {
    const createdAt = start + (index < 3 ? day : 0)
    yield* TestClock.setTime(createdAt)
    yield* sendOne(createdAt, index)
  }
  const metrics = Effect.flatMap(PerformanceStore, (store) =>
    Effect.map(store.days(owner, start - 10_000 * day, null), (days) =>
      days
        .toSorted((one, other) => (one.personaName < other.personaName ? -1 : 1))
        .map(({ personaId, personaName, metrics }) => ({ personaId, personaName, ...summarizeMetrics(metrics) }))
    )
  )
  /** Submits topics on a third day and changes their assignments, while the test clock moves. */
  const sendMore = Effect.forEach(
    Array.from({ length: 20 }, (_, index) => index),
    (index) => sendOne(start + 2 * day, index),
    { concurrency: 4, discard: true }
  )
  return { metrics, sendMore }
})

/** Moves the test clock forward while the effect sleeps. */
export const runWhileTimePasses = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(effect, Effect.forever(Effect.andThen(TestClock.adjust("20 millis"), Effect.promise(immediately))))

const immediately = () => new Promise<void>((resume) => setTimeout(resume, 1))
