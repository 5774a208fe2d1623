/**
 * Tests the guarantees of the AssignmentStore port for due assignments. Assignments of one environment never affect the
 * other environment, and each organization gets a fair share.
 */
import { assert, describe } from "@effect/vitest"
import type { ShareId } from "@partner-commentary/core/shared/Ids"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import { AssignmentStore, type OrganizationDueAssignments } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Creator from "../support/Creator.ts"
import { day, makeOrganizationId, makePersonas, makeSubmission, second, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

export const suite = <E>(name: string, layer: Layer.Layer<TopicStore | AssignmentStore, E>): void => {
  describe(`${name}: AssignmentStore, turns of organizations`, () => {
    const it = makeGuaranteeTest(layer)

    /** Creates an organization with `count` assignments, which are due a second apart, starting at `from`. */
    const withDue = Effect.fnUntraced(function* (count: number, from: number, environment: Environment = "live") {
      const id = makeOrganizationId()
      const given = makeSubmission({ personas: makePersonas(count), topic: { organizationId: id, environment } })
      const { sent } = yield* (yield* TopicStore).submit(given)
      for (const [index, share] of sent.entries()) {
        yield* moved(share, from + index * second)
      }
      return { id, sent }
    })

    const moved = Effect.fnUntraced(function* (share: ShareId, dueAt: number | null) {
      const store = yield* AssignmentStore
      const modified = yield* store.modify(share, (present) =>
        Result.succeed({ assignment: { ...present, dueAt }, notices: [] })
      )
      return Option.getOrThrow(modified).work
    })

    const look = Effect.fnUntraced(function* (limit: number, environment: Environment = "live") {
      return yield* (yield* AssignmentStore).due(environment, start + day, limit)
    })

    const counts = (lanes: ReadonlyArray<OrganizationDueAssignments>) =>
      new Map(lanes.map(({ ids, organizationId: id }) => [id, ids.length]))

    it("if more assignments are due than the limit, each organization gets an equal share, even if another organization has much more work", () =>
      Effect.gen(function* () {
        const much = yield* withDue(30, start)
        const some = yield* withDue(7, start + 100 * second)
        const one = yield* withDue(1, start + 200 * second)
        const lanes = yield* look(12)
        assert.deepStrictEqual(
          counts(lanes),
          new Map([
            [much.id, 4],
            [some.id, 4],
            [one.id, 1]
          ])
        )
        assert.deepStrictEqual(lanes[0], { organizationId: much.id, ids: much.sent.slice(0, 4) }, "the longest overdue")
        assert.deepStrictEqual(lanes[1], { organizationId: some.id, ids: some.sent.slice(0, 4) })
        assert.deepStrictEqual(lanes[2], { organizationId: one.id, ids: one.sent })
      }))

    it("all due assignments are found if there are fewer than the limit", () =>
      Effect.gen(function* () {
        const much = yield* withDue(9, start)
        const one = yield* withDue(1, start + 100 * second)
        assert.deepStrictEqual(yield* look(10), [
          { organizationId: much.id, ids: much.sent },
          { organizationId: one.id, ids: one.sent }
        ])
      }))

    it("if more organizations have due assignments than the limit, the organizations with the oldest due times get one assignment each", () =>
      Effect.gen(function* () {
        yield* withDue(3, start + 9 * second)
        const next = yield* withDue(3, start + 2 * second)
        const first = yield* withDue(3, start)
        assert.deepStrictEqual(yield* look(2), [
          { organizationId: first.id, ids: first.sent.slice(0, 1) },
          { organizationId: next.id, ids: next.sent.slice(0, 1) }
        ])
      }))

    it("a single organization gets the whole limit, and assignments that are not due do not count towards the limit", () =>
      Effect.gen(function* () {
        const late = yield* withDue(3, start + 2 * day)
        const much = yield* withDue(9, start)
        assert.deepStrictEqual(yield* look(8), [{ organizationId: much.id, ids: much.sent.slice(0, 8) }])
        assert.notInclude([...counts(yield* look(100)).keys()], late.id)
      }))

    it("without drafts, assignments that only wait for a draft are omitted, but reminders and deadlines are found", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const waiting = yield* withDue(30, start)
        for (const share of waiting.sent) yield* Creator.submitPerspective(share)
        const [revised = assert.fail(), ...late] = (yield* withDue(3, start)).sent
        for (const share of [revised, ...late]) yield* Creator.respondAndDraft(share)
        for (const share of [revised]) yield* Creator.revise(share)
        for (const share of late) yield* moved(share, start + second)
        const open = yield* withDue(2, start + 2 * second)
        const look = (at: number) =>
          Effect.map(store.due("live", at, 10, false), (lanes) => lanes.map(({ ids }) => ids))
        assert.deepStrictEqual(yield* look(start + day), [late, open.sent])
        const { approveBy } = Option.getOrThrow(yield* store.find(revised)).assignment
        assert.deepStrictEqual(yield* look(approveBy ?? 0), [[...late, revised], open.sent])
      }))

    it("due assignments, due times and signals of one environment do not appear in the other environment", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const tests = yield* withDue(30, start, "test")
        const live = yield* withDue(1, start + 100 * second)
        assert.deepStrictEqual(yield* look(2), [{ organizationId: live.id, ids: live.sent }])
        assert.deepStrictEqual(counts(yield* look(2, "test")), new Map([[tests.id, 2]]))
        assert.deepStrictEqual(yield* store.nextDue(["live"]), Option.some(start + 100 * second))
        assert.deepStrictEqual(yield* store.nextDue(["test"]), Option.some(start))
        assert.deepStrictEqual(yield* store.nextDue(["live", "test"]), Option.some(start))
        for (const share of live.sent) assert.deepStrictEqual(yield* moved(share, start), ["assignments"])
        for (const share of tests.sent)
          assert.deepStrictEqual(yield* moved(share, start + 1), [{ kind: "tests", at: start + 1 }])
        for (const share of live.sent) yield* moved(share, null)
        assert.deepStrictEqual(yield* store.nextDue(["live"]), Option.none())
      }))
  })
}
