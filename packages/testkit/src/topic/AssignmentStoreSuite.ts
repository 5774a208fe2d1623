/**
 * Tests the guarantees of the AssignmentStore port for single assignments. OpenAssignmentSuite covers the assignments
 * of a creator, and TopicCountsSuite the effects of assignments on topics.
 */
import { assert, describe } from "@effect/vitest"
import { applyGeneratedDraft } from "@partner-commentary/core/commentary/Generation"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { defaults } from "@partner-commentary/core/shared/Policy"
import { makeNewEventsSignal, makeTopicChangeSignal } from "@partner-commentary/core/shared/WorkSignal"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as Workflow from "@partner-commentary/core/topic/Workflow"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "../support/Creator.ts"
import {
  day,
  hour,
  makeCommentaryId,
  makeDraftId,
  makeOrganizationId,
  makePersonas,
  makeShareId,
  makeSubmission,
  minute,
  second,
  start
} from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

type Stores = TopicStore | AssignmentStore | MailStore

/** The fields that no change of a live assignment writes. */
type FixedField =
  | "id"
  | "topicId"
  | "organizationId"
  | "environment"
  | "position"
  | "persona"
  | "createdAt"
  | "isDeadlineFixed"
  | "simulation"

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  describe(`${name}: AssignmentStore`, () => {
    const it = makeGuaranteeTest(layer)

    it("an assignment is found with the data of its submission, and with the data of its topic that the creator sees", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const { given, id, sent } = yield* oneSent()
        const { content, id: topicId, organizationName } = given.topic
        assert.deepStrictEqual(Option.getOrThrow(yield* store.find(id)), {
          assignment: sent,
          topic: { id: topicId, content, organizationName }
        })
        assert.isTrue(Option.isNone(yield* store.find(makeShareId())))
        const modified = yield* store.modify(makeShareId(), (assignment) => Result.succeed({ assignment, notices: [] }))
        assert.isTrue(Option.isNone(modified))
      }))

    it("every field of an assignment is stored", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const { id, sent } = yield* oneSent()
        const content = "Ein „Entwurf“ 🏆\nzweite Zeile"
        const draft = { id: makeDraftId(), number: 1, content, createdAt: start + minute }
        const changed: Omit<Assignment, FixedField> = {
          creator: { name: "Ada N.", email: "ada.new@example.org" },
          status: "creator_approved",
          statusUpdatedAt: start + day,
          notifiedAt: start + second,
          respondBy: start + 2 * day,
          perspective: "The keeper decides it.",
          respondedAt: start + minute,
          declineReason: "no",
          generation: {
            ticket: 3,
            running: true,
            attempts: 2,
            nextAt: start + hour,
            giveUpAt: start + 2 * hour,
            revision: { draftId: draft.id, instructions: "Shorter." }
          },
          draft,
          firstDraftedAt: start + hour,
          approveBy: start + 7 * day,
          reminders: 2,
          commentary: {
            id: makeCommentaryId(),
            content: "Edited.",
            draftId: draft.id,
            approvedAt: start + day,
            partnerApprovedAt: start + day + hour,
            audioUrl: "https://media.example.org/a.mp3",
            videoUrl: "https://media.example.org/a.mp4"
          },
          failure: { reason: "withdrawn", at: start + day + 1 },
          withdrawReason: "changed my mind",
          dueAt: start + 3 * day
        }
        const full = { ...sent, ...changed }
        const modified = yield* store.modify(id, () => Result.succeed({ assignment: full, notices: [] }))
        const { topic } = Option.getOrThrow(yield* store.find(id))
        const work = ["deliveries", makeTopicChangeSignal(full.topicId), makeNewEventsSignal(full)] as const
        assert.deepStrictEqual(Option.getOrThrow(modified), { before: sent, after: full, topic, work })
        assert.deepStrictEqual(yield* found(id), full)
        const bare = { ...sent, generation: { ...sent.generation, revision: null } }
        yield* store.modify(id, () => Result.succeed({ assignment: bare, notices: [] }))
        assert.deepStrictEqual(yield* found(id), bare)
      }))

    it("a rejected change of an assignment returns the rejection and changes nothing", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const { id, sent } = yield* oneSent()
        const refusal = new Workflow.ActionRefused({ reason: "too_late", status: "topic_sent" })
        assert.strictEqual(yield* Effect.flip(store.modify(id, () => Result.fail(refusal))), refusal)
        assert.deepStrictEqual(yield* found(id), sent)
      }))

    it("a delivered mail is marked as sent in the transaction of the assignment's change, even if the assignment stays the same", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const mails = yield* MailStore
        const { id } = yield* oneSent(2)
        const claimed = yield* mails.claim(start, start + minute, 10)
        for (const mail of claimed) {
          const { shareId } = mail
          const decide = (present: Assignment) =>
            Result.succeed(
              shareId === id
                ? Workflow.recordRequestMailDelivery(present, mail, start, defaults)
                : { assignment: present, notices: [], delivered: mail }
            )
          if (shareId !== null) yield* store.modify(shareId, decide)
        }
        assert.strictEqual(claimed.length, 2)
        assert.strictEqual((yield* found(id)).notifiedAt, start)
        assert.deepStrictEqual(yield* mails.claim(start + hour, start + day, 10), [])
        assert.isTrue(Option.isNone(yield* mails.nextDue))
      }))

    it("if several mails are delivered at the same time, each assignment is changed except the assignment of a mail with an outdated ticket", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const mails = yield* MailStore
        yield* oneSent(5)
        const all = yield* mails.claim(start, start + minute, 10)
        const [present] = yield* mails.claim(start + hour, start + 2 * hour, 1)
        if (present === undefined) return assert.fail("nothing was taken")
        const claimed = [...all.filter(({ id }) => id !== present.id), ...all.filter(({ id }) => id === present.id)]
        const handOver = (mail: typeof present) =>
          store.modify(mail.shareId ?? assert.fail("the mail names no assignment"), (assignment) =>
            Result.succeed(Workflow.recordRequestMailDelivery(assignment, mail, start + hour, defaults))
          )
        const modified = yield* Effect.forEach(claimed, handOver, { concurrency: "unbounded" })
        assert.deepStrictEqual(
          modified.map((one) => Option.getOrThrow(one).after.notifiedAt),
          claimed.map(({ id }) => (id === present.id ? null : start + hour))
        )
        const overtaken = modified.map(Option.getOrThrow).find(({ before }) => before.id === present.shareId)
        assert.strictEqual(overtaken?.after, overtaken?.before)
        assert.deepStrictEqual(yield* mails.nextDue, Option.some(start + 2 * hour))
        assert.strictEqual(Option.getOrThrow(yield* handOver(present)).after.notifiedAt, start + hour)
        assert.isTrue(Option.isNone(yield* mails.nextDue))
      }))

    it("a change of an assignment returns the work that it created: due assignments, mails, deliveries, and changed views", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const { id } = yield* oneSent()
        const workOf = (decide: (present: Assignment) => Workflow.AssignmentChange) =>
          Effect.map(
            store.modify(id, (present) => Result.succeed(decide(present))),
            (modified) => Option.getOrThrow(modified).work
          )
        assert.deepStrictEqual(yield* workOf((assignment) => ({ assignment, notices: [] })), [])
        assert.deepStrictEqual(yield* workOf((present) => Workflow.makeChange({ ...present, reminders: 1 })), [])
        const responded = yield* workOf((present) =>
          Result.getOrThrow(Workflow.respond(present, { perspective: "The keeper decides." }, start))
        )
        const shown = makeTopicChangeSignal((yield* found(id)).topicId)
        assert.deepStrictEqual(responded, ["assignments", shown])
        assert.deepStrictEqual(yield* workOf((present) => ({ assignment: { ...present }, notices: [] })), [])
        yield* Creator.runDueStep(id)
        const ticket = { ticket: 1, draftId: makeDraftId(), content: "It will be the keeper." }
        const written = yield* workOf((present) => applyGeneratedDraft(present, ticket, start, defaults))
        const at = (yield* found(id)).dueAt ?? assert.fail("no step is due")
        assert.deepStrictEqual(written, [{ kind: "assignments", at }, "mails", shown])
        const failed = yield* store.modify(id, (present) => Workflow.withdraw(present, { reason: null }, start))
        const events = makeNewEventsSignal(yield* found(id))
        assert.deepStrictEqual(Option.getOrThrow(failed).work, ["deliveries", shown, events])
      }))

    it("a notice is queued in the transaction of its change, is due immediately, and is queued only once for each occasion", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const mails = yield* MailStore
        const { given, id } = yield* oneSent()
        yield* mails.claim(start, start + day, 10)
        yield* TestClock.setTime(start + hour)
        const remind = store.modify(id, (present) =>
          Result.succeed(
            Workflow.makeChange(
              { ...present, reminders: present.reminders + 1 },
              { notices: [{ kind: "reminder", occasion: "half" }] }
            )
          )
        )
        yield* remind
        yield* remind
        assert.deepStrictEqual(yield* mails.claim(start + hour, start + day, 10), [
          {
            id: `${id}.half`,
            kind: "reminder",
            shareId: id,
            organizationId: given.topic.organizationId,
            address: null,
            createdAt: start + hour,
            attempts: 1,
            ticket: 1,
            unanswered: 0,
            maybeSentAt: null
          }
        ])
      }))

    it("if the draft stalls again within an hour, every further notice is due at the end of this hour", () =>
      Effect.gen(function* () {
        const mails = yield* MailStore
        const { id } = yield* oneSent()
        yield* Creator.submitPerspective(id)
        const stall = Effect.andThen(Creator.runDueStep(id), Creator.failAttempt(id))
        yield* mails.claim(start, start + day, 10)
        yield* stall
        for (const minutes of [1, 20, 40]) {
          yield* TestClock.setTime(start + minutes * minute)
          yield* Creator.restart(id)
          yield* stall
        }
        const told = (at: number) =>
          Effect.map(mails.claim(at, at + day, 10), (due) => due.map((one) => [one.id, one.createdAt - start]))
        assert.deepStrictEqual(yield* told(start + hour - 1), [[`${id}.stalled-1`, 0]])
        assert.deepStrictEqual(
          yield* told(start + hour),
          [2, 3, 4].map((ticket) => [`${id}.stalled-${ticket}`, hour])
        )
        yield* TestClock.setTime(start + 3 * hour)
        yield* Creator.restart(id)
        yield* stall
        assert.deepStrictEqual(yield* told(start + 3 * hour), [[`${id}.stalled-5`, 3 * hour]], "at once")
      }))

    it("of two concurrent actions on an assignment, exactly one succeeds", () =>
      Effect.gen(function* () {
        const { id } = yield* oneSent()
        const first = yield* Effect.all(
          [Effect.result(Creator.submitPerspective(id)), Effect.result(Creator.decline(id))],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(first.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
        const { id: other } = yield* oneSent()
        yield* Creator.respondAndDraft(other)
        const second = yield* Effect.all(
          [Effect.result(Creator.withdraw(other)), Effect.result(Creator.approve(other))],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(second.map(({ _tag }) => _tag).toSorted(), ["Failure", "Success"])
      }))

    it("due assignments are found oldest first, up to the limit", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        assert.isTrue(Option.isNone(yield* store.nextDue(["live"])))
        const { given } = yield* oneSent(4)
        const dueAts = [start + 3 * second, start + second, start + 2 * second, null]
        for (const [index, { shareId }] of given.candidates.entries()) {
          const dueAt = dueAts[index] ?? null
          yield* store.modify(shareId, (present) => Result.succeed({ assignment: { ...present, dueAt }, notices: [] }))
        }
        const ids = given.candidates.slice(1, 3).map(({ shareId }) => shareId)
        const overdue = [{ organizationId: given.topic.organizationId, ids }]
        assert.deepStrictEqual(yield* store.due("live", start + 2 * second, 10), overdue)
        assert.deepStrictEqual(yield* store.due("live", start + second - 1, 10), [])
        assert.deepStrictEqual(yield* store.due("live", start + day, 2), overdue)
        assert.deepStrictEqual(yield* store.nextDue(["live"]), Option.some(start + second))
      }))

    it("the test environment stores a simulated creator and no data about the human creator", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const topics = yield* TopicStore
        const given = makeSubmission({ topic: { environment: "test", content: "Is this one declined? [decline]" } })
        yield* topics.submit(given)
        for (const { shareId: id } of given.candidates) {
          const sent = yield* found(id)
          assert.deepStrictEqual(sent.creator, { name: "", email: "" })
          assert.deepStrictEqual(sent.simulation, { path: "decline", nextAt: given.actsAt })
          const { organizationId } = given.topic
          assert.strictEqual(sent.dueAt, given.actsAt)
          assert.deepStrictEqual(yield* store.due("test", start + day, 9), [{ organizationId, ids: [id] }])
          const paused = yield* store.modify(id, (present) =>
            Result.succeed(Workflow.makeChange({ ...present, simulation: { path: "decline", nextAt: null } }))
          )
          assert.deepStrictEqual(yield* found(id), Option.getOrThrow(paused).after)
        }
      }))

    it("assignments whose generation failed permanently are listed as stalled until the generation restarts", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const { given, id } = yield* oneSent(2)
        for (const { shareId } of given.candidates) yield* Creator.submitPerspective(shareId)
        yield* Creator.runDueStep(id)
        assert.deepStrictEqual(yield* store.stalled, [])
        yield* Creator.failAttempt(id)
        assert.deepStrictEqual(yield* store.stalled, [id])
        yield* Creator.revise(id)
        assert.deepStrictEqual(yield* store.stalled, [])
      }))

    it("deleting an assignment's former drafts keeps the current draft and its revision request", () =>
      Effect.gen(function* () {
        const store = yield* AssignmentStore
        const { id } = yield* oneSent()
        yield* Creator.respondAndDraft(id)
        const asked = yield* Creator.revise(id)
        yield* store.forgetDrafts(id)
        assert.deepStrictEqual(yield* found(id), asked)
        yield* Creator.runDueStep(id)
        const second = yield* Creator.completeDraft(id)
        yield* store.forgetDrafts(id)
        assert.deepStrictEqual(yield* found(id), { ...second, generation: { ...second.generation, revision: null } })
      }))
  })
}

/** Creates a topic and returns the first of its assignments. */
const oneSent = Effect.fnUntraced(function* (count = 1) {
  const topics = yield* TopicStore
  const given = makeSubmission({ personas: makePersonas(count), topic: { organizationId: makeOrganizationId() } })
  const [id = assert.fail("nothing was sent")] = (yield* topics.submit(given)).sent
  return { given, id, sent: yield* found(id) }
})

const found = (id: Assignment["id"]) =>
  Effect.flatMap(AssignmentStore, (store) => Effect.map(store.find(id), (found) => Option.getOrThrow(found).assignment))
