/** Tests the guarantees of the EventLog port for reading events forward. */
import { assert, describe } from "@effect/vitest"
import type { EventId, ShareId } from "@partner-commentary/core/shared/Ids"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { makeLowestEventId } from "@partner-commentary/core/webhook/Event"
import { EventLog, type EventLogQuery } from "@partner-commentary/core/webhook/EventLog"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "../support/Creator.ts"
import * as Fixtures from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

const submitAssignments = Effect.fnUntraced(function* (owner: Owner, count: number) {
  const topics = yield* TopicStore
  return (yield* topics.submit(Fixtures.makeSubmission({ topic: owner, personas: Fixtures.makePersonas(count) }))).sent
})

/** Reads all events forward, in small pages. */
const follow = Effect.fnUntraced(function* (owner: Owner, from: Partial<EventLogQuery> = {}) {
  const log = yield* EventLog
  const read: Array<{ readonly id: EventId; readonly payload: string }> = []
  let behind = from.behind ?? null
  for (;;) {
    const list = { type: null, since: 0, limit: 2, maxBytes: 100_000, ...from, owner, behind, forward: true }
    const { events, more } = yield* log.page(list)
    read.push(...events.map(({ id, payload }) => ({ id, payload })))
    behind = events.at(-1)?.id ?? behind
    if (!more) return read
  }
})

const shareOf = ({ payload }: { readonly payload: string }): ShareId => JSON.parse(payload).data.share_id

export const suite = <E>(name: string, layer: Layer.Layer<EventLog | TopicStore | AssignmentStore, E>): void => {
  describe(`${name}: EventLog, reading forward`, () => {
    const it = makeGuaranteeTest(layer)

    it("reading forward from any event returns each later event once, in the order of commits", () =>
      Effect.gen(function* () {
        const owner = Fixtures.makeOwner()
        // The fourth assignment keeps the topic open.
        const [first, second, third] = yield* submitAssignments(owner, 4)
        if (first === undefined || second === undefined || third === undefined) return assert.fail()
        yield* TestClock.setTime(Fixtures.start + 5 * Fixtures.second)
        yield* Creator.decline(second)
        // Set the clock back, to simulate another process with a slow clock.
        yield* TestClock.setTime(Fixtures.start)
        yield* Creator.decline(first)
        yield* Creator.respondAndDraft(third)
        yield* Creator.approve(third)
        const all = yield* follow(owner)
        assert.deepStrictEqual(all.map(shareOf), [second, first, third])
        for (const [index, { id }] of all.entries()) {
          assert.deepStrictEqual(yield* follow(owner, { behind: id }), all.slice(index + 1))
        }
        assert.deepStrictEqual((yield* follow(owner, { type: "creator.approved" })).map(shareOf), [third])
        assert.deepStrictEqual((yield* follow(owner, { since: Fixtures.start + 1 })).map(shareOf), [second])
        const behind = makeLowestEventId(Fixtures.start + 5 * Fixtures.second)
        assert.deepStrictEqual((yield* follow(owner, { behind })).map(shareOf), [second])
      }))

    it("if the cursor is another owner's event, the list starts at the time of that event", () =>
      Effect.gen(function* () {
        const [owner, stranger] = [Fixtures.makeOwner(), Fixtures.makeOwner()]
        const mine = (yield* submitAssignments(owner, 3)).slice(1)
        const [theirs] = yield* submitAssignments(stranger, 2)
        yield* TestClock.setTime(Fixtures.start)
        for (const share of [...mine, theirs ?? assert.fail()]) yield* Creator.decline(share)
        const [event] = yield* follow(stranger)
        assert.lengthOf(yield* follow(owner, { behind: makeLowestEventId(Fixtures.start) }), 2)
        const known = yield* follow(owner, { behind: event?.id ?? null })
        assert.lengthOf(known, 2)
        assert.deepStrictEqual(yield* follow(Fixtures.makeOwner()), [])
      }))
  })
}
