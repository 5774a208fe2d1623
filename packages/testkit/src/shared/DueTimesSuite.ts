/**
 * Tests the guarantees of all stores with due times after a fast clock was corrected. If a fast clock has set a due
 * time too late, the store repairs the due time, and other due times stay.
 */
import { assert, describe } from "@effect/vitest"
import { repairDueTimes } from "@partner-commentary/core/commentary/Generation"
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { calculateLatestPlausibleDueTimes } from "@partner-commentary/core/shared/DueTimes"
import type { ShareId } from "@partner-commentary/core/shared/Ids"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { approve } from "@partner-commentary/core/topic/Workflow"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "../support/Creator.ts"
import { hour, makeCommentaryId, makeMail, makeSubmission, minute, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

type Stores = MailStore | MediaJobStore | AssignmentStore | TopicStore

const lease = Duration.minutes(2)
const latest = calculateLatestPlausibleDueTimes(start, lease, [Duration.minutes(5), Duration.hours(1)])
const ahead = start + 2 * hour

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  describe(`${name}: AssignmentStore, repair of due times that a fast clock set`, () => {
    const it = makeGuaranteeTest(layer)

    it("the repair makes a mail with a future creation time due now, and a mail that waits for a retry keeps its time", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        yield* store.queue(makeMail({ id: "waits" }))
        for (const claimed of yield* store.claim(start, start + minute, 10)) {
          yield* store.settle(claimed, { state: "waiting", until: start + 5 * minute, reason: "" }, start)
        }
        yield* store.queue(makeMail({ id: "ahead", createdAt: ahead }))
        yield* store.repairDueTimes(latest)
        const now = yield* store.claim(start, start + minute, 10)
        assert.deepStrictEqual(
          now.map(({ id }) => id),
          ["ahead"]
        )
        assert.strictEqual((yield* store.claim(start + 5 * minute - 1, start + hour, 10)).length, 1, "its lease ended")
        assert.strictEqual((yield* store.claim(start + 5 * minute, start + hour, 10)).length, 1)
      }))

    it("the repair keeps the time of a webhook notice that is due within five minutes, and makes a notice with a later time due now", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const waits = makeMail({
          id: "next-notice",
          kind: "webhook_moved",
          shareId: null,
          createdAt: start + 5 * minute
        })
        yield* store.queue(waits)
        yield* store.queue({ ...waits, id: "ahead-notice", createdAt: ahead })
        yield* store.repairDueTimes(latest)
        const now = yield* store.claim(start, start + minute, 10)
        assert.deepStrictEqual(
          now.map(({ id }) => id),
          ["ahead-notice"]
        )
        assert.strictEqual((yield* store.claim(start + 5 * minute, start + hour, 10)).length, 2, "one lease has ended")
      }))

    it("the repair keeps the time of a notice about a stalled draft that is due within an hour, and makes a notice with a later time due now", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        yield* store.queue(makeMail({ id: "next-stalled", kind: "stalled", createdAt: start + hour }))
        yield* store.queue(makeMail({ id: "ahead-stalled", kind: "stalled", createdAt: ahead }))
        yield* store.repairDueTimes(latest)
        const now = yield* store.claim(start, start + minute, 10)
        assert.deepStrictEqual(
          now.map(({ id }) => id),
          ["ahead-stalled"]
        )
      }))

    it("if a lease of a mail ends too late, the repair replaces it by a full lease from now, and the worker can still settle the mail", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        yield* store.queue(makeMail())
        const [taken] = yield* store.claim(ahead, ahead + minute, 1)
        yield* store.repairDueTimes(latest)
        assert.deepStrictEqual(yield* store.nextDue, Option.some(latest.leased))
        if (taken === undefined) return assert.fail("nothing was taken")
        assert.isTrue(yield* store.settle(taken, { state: "sent" }, start))
      }))

    it("the repair makes an audio job with a future due time due now, and replaces a lease that ends too late by a full lease from now", () =>
      Effect.gen(function* () {
        const store = yield* MediaJobStore
        const given = makeSubmission({ topic: { outputTypes: ["audio"] } })
        const [share] = (yield* (yield* TopicStore).submit(given)).sent
        if (share === undefined) return assert.fail("nothing was sent")
        yield* Creator.respondAndDraft(share)
        yield* TestClock.setTime(ahead)
        const action = { draftId: null, content: null, commentaryId: makeCommentaryId(), contentHash: "hash" }
        const mediaRequests = [{ kind: "audio", name: "a" }] as const
        yield* (yield* AssignmentStore).modify(share, (present) =>
          approve(present, { ...action, mediaRequests }, ahead)
        )
        yield* store.repairDueTimes(latest)
        assert.deepStrictEqual(yield* store.nextDue(["audio"]), Option.some(start))
        yield* store.claim(ahead, ahead + minute, ["audio"], 1)
        yield* store.repairDueTimes(latest)
        assert.deepStrictEqual(yield* store.nextDue(["audio"]), Option.some(latest.leased))
        yield* store.repairDueTimes(latest)
        assert.deepStrictEqual(yield* store.nextDue(["audio"]), Option.some(latest.leased))
      }))

    const sent = Effect.fnUntraced(function* (environment: "live" | "test", actsAt?: number) {
      const given = makeSubmission({ topic: { environment }, ...(actsAt === undefined ? {} : { actsAt }) })
      const [share] = (yield* (yield* TopicStore).submit(given)).sent
      return share ?? assert.fail("nothing was sent")
    })

    const repaired = Effect.gen(function* () {
      const store = yield* AssignmentStore
      const found = yield* store.putOff(latest, start, 10)
      for (const id of found)
        yield* store.modify(id, (present) => Result.succeed(repairDueTimes(present, latest, start)))
      return found
    })

    const dueAt = (share: ShareId) =>
      Effect.map(
        Effect.flatMap(AssignmentStore, (store) => store.find(share)),
        (found) => Option.getOrThrow(found).assignment.dueAt
      )

    it("the repair makes a generation attempt with a future time due now, and a retry after a failure keeps its time", () =>
      Effect.gen(function* () {
        const [waits, early] = [yield* sent("live"), yield* sent("live")]
        yield* Creator.submitPerspective(waits)
        assert.deepStrictEqual(yield* repaired, [])
        yield* TestClock.setTime(ahead)
        yield* Creator.submitPerspective(early)
        assert.deepStrictEqual(yield* repaired, [early])
        assert.strictEqual(yield* dueAt(early), start)
        assert.deepStrictEqual(yield* repaired, [])
        yield* Creator.runDueStep(early)
        assert.deepStrictEqual(yield* repaired, [early])
        assert.strictEqual(yield* dueAt(early), latest.leased, "it is under way")
      }))

    it("the repair makes a simulated step with a future time due now", () =>
      Effect.gen(function* () {
        const share = yield* sent("test", ahead)
        yield* sent("test", start)
        assert.deepStrictEqual(yield* repaired, [share])
        assert.strictEqual(yield* dueAt(share), start)
        assert.deepStrictEqual(yield* repaired, [])
      }))
  })
}
