/** Tests the guarantees of the AssignmentStore port for the assignments of a creator, which the inbox shows. */
import { assert, describe } from "@effect/vitest"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Creator from "../support/Creator.ts"
import { hour, makeOrganizationId, makePersona, makeShareId, makeSubmission, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

export const suite = <E>(name: string, layer: Layer.Layer<TopicStore | AssignmentStore, E>): void => {
  describe(`${name}: AssignmentStore, assignments of a creator`, () => {
    const it = makeGuaranteeTest(layer)

    it("a creator's open live assignments are found by the mail address, whether in upper or lower case, oldest first", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const topics = yield* TopicStore
        const creator = { name: "Ö", email: "Ödegård@Example.org" }
        const send = (createdAt: number, environment: "live" | "test" = "live") => {
          const given = makeSubmission({
            personas: [makePersona({ creator }), makePersona()],
            topic: { createdAt, environment }
          })
          return Effect.as(topics.submit(given), given.candidates.map(({ shareId }) => shareId).slice(0, 1))
        }
        const late = yield* send(start + hour)
        const early = yield* send(start)
        const settled = yield* send(start)
        yield* send(start, "test")
        for (const id of settled) yield* Creator.decline(id)
        const open = yield* store.openOf("ödegård@eXample.ORG", 9)
        assert.strictEqual(open.further, 0)
        assert.deepStrictEqual(
          open.assignments.map(({ assignment }) => assignment.id),
          [...early, ...late]
        )
        const all = yield* store.allOf("ÖDEGÅRD@example.org")
        assert.deepStrictEqual(all.toSorted(), [...late, ...early, ...settled].toSorted())
        assert.deepStrictEqual(yield* store.openOf("gard@example.org", 9), { assignments: [], further: 0 })
      }))

    it("if a creator has more open assignments than the limit, organizations take turns with their oldest assignments, and the other assignments are counted", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const topics = yield* TopicStore
        const creator = { name: "Many", email: `many-${makeShareId()}@example.org` }
        const asked = [makePersona({ creator }), makePersona({ creator })]
        const [first, second, third] = [makeOrganizationId(), makeOrganizationId(), makeOrganizationId()]
        const send = Effect.fnUntraced(function* (organizationId: OrganizationId, hours: number) {
          const given = makeSubmission({
            personas: asked,
            topic: { organizationId, createdAt: start + hours * hour }
          })
          yield* topics.submit(given)
          return given.candidates.map(({ shareId }) => shareId)
        })
        const flood = yield* Effect.forEach([1, 0, 2, 3], (hours) => send(first, hours))
        const later = yield* send(second, 9)
        const latest = yield* send(third, 10)
        const [settled, ...oldest] = flood[1] ?? []
        if (settled !== undefined) yield* Creator.decline(settled)
        const found = (limit: number) =>
          Effect.map(store.openOf(creator.email, limit), ({ assignments, further }) => [
            assignments.map(({ assignment }) => assignment.id),
            further
          ])
        const own = [...oldest, ...(flood[0] ?? []), ...(flood[2] ?? []), ...(flood[3] ?? [])]
        assert.deepStrictEqual(yield* found(2), [[...own.slice(0, 1), ...later.slice(0, 1)], 9])
        assert.deepStrictEqual(yield* found(6), [[...own.slice(0, 2), ...later, ...latest], 5])
        assert.deepStrictEqual(yield* found(8), [[...own.slice(0, 4), ...later, ...latest], 3])
        assert.deepStrictEqual(yield* found(11), [[...own, ...later, ...latest], 0])
        assert.deepStrictEqual(yield* found(12), [[...own, ...later, ...latest], 0])
      }))
  })
}
