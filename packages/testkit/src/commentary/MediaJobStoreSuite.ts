/**
 * Tests the guarantees of every MediaJobStore. Only one worker at a time holds a job, and no job is lost before the job
 * is settled.
 */
import { assert, describe } from "@effect/vitest"
import { type MediaJob, recordFinishedMediaFile } from "@partner-commentary/core/commentary/MediaJob"
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import type { MediaKind, MediaRequest } from "@partner-commentary/core/topic/MediaRequest"
import type { OutputType } from "@partner-commentary/core/topic/Topic"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { approve } from "@partner-commentary/core/topic/Workflow"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Creator from "../support/Creator.ts"
import { hour, makeCommentaryId, makeOrganizationId, makeSubmission, minute, start } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

type Stores = MediaJobStore | AssignmentStore | TopicStore

const both: ReadonlyArray<MediaKind> = ["audio", "video"]
const url = "https://media.example.org/a.mp3"

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  describe(`${name}: MediaJobStore`, () => {
    const it = makeGuaranteeTest(layer)

    /**
     * Creates a topic with the given output types and approves the topic's assignment. The approval requests the media
     * in `mediaRequests`.
     */
    const approved = Effect.fnUntraced(function* (
      outputTypes: ReadonlyArray<OutputType> = ["text", "audio"],
      mediaRequests: ReadonlyArray<MediaRequest> = both.map((kind) => ({ kind, name: `name of ${kind}` })),
      organizationId = makeOrganizationId()
    ) {
      const topics = yield* TopicStore
      const assignments = yield* AssignmentStore
      const given = makeSubmission({ topic: { outputTypes, organizationId } })
      yield* topics.submit(given)
      const shareId = given.candidates[0]?.shareId ?? assert.fail("nobody was asked")
      yield* Creator.respondAndDraft(shareId)
      const action = {
        draftId: null,
        content: null,
        commentaryId: makeCommentaryId(),
        contentHash: "hash",
        mediaRequests
      }
      yield* assignments.modify(shareId, (present) => approve(present, action, start))
      return shareId
    })

    const claim = (at: number, kinds = both, limit = 100) =>
      Effect.flatMap(MediaJobStore, (store) => store.claim(at, at + minute, kinds, limit))

    const recordUrl = (job: MediaJob) =>
      Effect.flatMap(AssignmentStore, ({ modify }) =>
        modify(job.shareId, (present) => Result.succeed(recordFinishedMediaFile(present, job, url)))
      )

    const urlsOf = Effect.fnUntraced(function* (shareId: Parameters<AssignmentStore["Service"]["find"]>[0]) {
      const found = Option.getOrThrow(yield* (yield* AssignmentStore).find(shareId))
      return [found.assignment.commentary?.audioUrl, found.assignment.commentary?.videoUrl]
    })

    it("an approval creates jobs only for requested media that are output types of the topic, and these jobs are due immediately", () =>
      Effect.gen(function* () {
        const store = yield* MediaJobStore
        assert.isTrue(Option.isNone(yield* store.nextDue(both)))
        const shareId = yield* approved()
        yield* approved(["text"])
        yield* approved(["audio"], [])
        assert.deepStrictEqual(yield* store.nextDue(both), Option.some(start))
        assert.deepStrictEqual(yield* claim(start - 1), [])
        assert.deepStrictEqual(yield* claim(start), [
          { shareId, kind: "audio", name: "name of audio", attempts: 1, ticket: 1 }
        ])
      }))

    it("a rejected approval creates no media job", () =>
      Effect.gen(function* () {
        const shareId = yield* approved(["audio"], [])
        const assignments = yield* AssignmentStore
        const action = { draftId: null, content: "Another.", commentaryId: makeCommentaryId(), contentHash: "hash" }
        const mediaRequests = [{ kind: "audio", name: "name" }] as const
        yield* Effect.flip(
          assignments.modify(shareId, (present) => approve(present, { ...action, mediaRequests }, start))
        )
        assert.deepStrictEqual(yield* claim(start), [])
      }))

    it("media jobs of different kinds are claimed separately", () =>
      Effect.gen(function* () {
        const store = yield* MediaJobStore
        yield* approved(["audio", "video"])
        const [audio] = yield* claim(start, ["audio"])
        assert.strictEqual(audio?.kind, "audio")
        assert.deepStrictEqual(yield* store.nextDue(["audio"]), Option.some(start + minute))
        assert.deepStrictEqual(yield* store.nextDue(["video"]), Option.some(start))
        const [video] = yield* claim(start)
        assert.deepStrictEqual([video?.kind, video?.name], ["video", "name of video"])
      }))

    /** Creates media jobs of a new organization, and returns a function that counts its jobs in a claim. */
    const withJobs = Effect.fnUntraced(function* (count: number, kind: MediaKind = "audio") {
      const id = makeOrganizationId()
      const create = approved([kind], [{ kind, name: "name" }], id)
      const shares = new Set(yield* Effect.forEach(Array.from({ length: count }), () => create))
      return (jobs: ReadonlyArray<MediaJob>) => jobs.filter(({ shareId }) => shares.has(shareId)).length
    })

    it("each organization gets an equal share of a claim, even if another organization has much more work", () =>
      Effect.gen(function* () {
        const ofMuch = yield* withJobs(12)
        const ofSome = yield* withJobs(3)
        yield* withJobs(2, "video")
        const counts = (jobs: ReadonlyArray<MediaJob>) => [ofMuch(jobs), ofSome(jobs)]
        assert.deepStrictEqual(counts(yield* claim(start, ["audio"], 4)), [2, 2])
        assert.deepStrictEqual(counts(yield* claim(start, ["audio"], 4)), [2, 1])
        assert.deepStrictEqual(counts(yield* claim(start, ["audio"], 4)), [4, 0])
      }))

    it("a single free slot goes to the organization with the fewest running media jobs", () =>
      Effect.gen(function* () {
        const store = yield* MediaJobStore
        const ofMuch = yield* withJobs(8)
        const [first] = yield* claim(start, ["audio"], 4)
        if (first === undefined) return assert.fail("nothing was due")
        const ofSome = yield* withJobs(2)
        const slot = Effect.map(claim(start, ["audio"], 1), (jobs) => [ofMuch(jobs), ofSome(jobs)])
        assert.deepStrictEqual(yield* slot, [0, 1])
        assert.deepStrictEqual(yield* slot, [0, 1])
        assert.deepStrictEqual(yield* slot, [1, 0])
        yield* store.settle(first, { state: "released" }, start)
        assert.deepStrictEqual(yield* slot, [1, 0])
      }))

    it("a claimed media job is not claimed again until its lease ends, and is then due", () =>
      Effect.gen(function* () {
        yield* approved()
        assert.lengthOf(yield* claim(start), 1)
        assert.deepStrictEqual(yield* claim(start + minute - 1), [])
        const [again] = yield* claim(start + minute)
        assert.strictEqual(again?.attempts, 2)
      }))

    const toKey = ({ kind, shareId }: MediaJob) => `${shareId} ${kind}`

    const claimConcurrently = Effect.gen(function* () {
      const taken = yield* Effect.forEach(Array.from({ length: 8 }), () => claim(start, both, 5), {
        concurrency: "unbounded"
      })
      for (const batch of taken) assert.isAtMost(batch.length, 5)
      return taken.flat().map(toKey)
    })

    it("concurrent claims never return the same media job, and each returns at most as many jobs as its limit", () =>
      Effect.gen(function* () {
        const organizationId = makeOrganizationId()
        const create = approved(["audio", "video"], undefined, organizationId)
        yield* Effect.forEach(Array.from({ length: 12 }), () => create)
        const taken = yield* claimConcurrently
        assert.lengthOf(taken, 24)
        assert.lengthOf(new Set(taken), 24)
      }))

    it("concurrent claims of the media jobs of many organizations never return the same media job, and miss none", () =>
      Effect.gen(function* () {
        yield* Effect.forEach(Array.from({ length: 12 }), () => approved(["audio", "video"]))
        // A claim skips the jobs of a concurrent claim, and does not replace them by jobs of other organizations.
        const first = yield* claimConcurrently
        assert.isAtLeast(first.length, 5)
        const taken = [...first, ...(yield* claim(start, both, 24)).map(toKey)]
        assert.lengthOf(taken, 24)
        assert.lengthOf(new Set(taken), 24)
      }))

    it("a successful media job stores its URL in the commentary and ends, and the URL of the other kind of media stays unchanged", () =>
      Effect.gen(function* () {
        const store = yield* MediaJobStore
        const assignments = yield* AssignmentStore
        const shareId = yield* approved()
        const before = Option.getOrThrow(yield* assignments.find(shareId)).assignment
        const [taken] = yield* claim(start)
        if (taken === undefined) return assert.fail("nothing was due")
        yield* recordUrl(taken)
        const after = Option.getOrThrow(yield* assignments.find(shareId)).assignment
        const commentary = before.commentary ?? assert.fail("not approved")
        assert.deepStrictEqual(after, { ...before, commentary: { ...commentary, audioUrl: url } })
        assert.isTrue(Option.isNone(yield* store.nextDue(both)))
        assert.deepStrictEqual(yield* claim(start + hour), [])
        assert.strictEqual(yield* store.restart(shareId, start + hour), 0)
      }))

    it("a media job that waits for a retry is due at the retry time; a released job is due immediately, and its attempt does not count", () =>
      Effect.gen(function* () {
        const store = yield* MediaJobStore
        yield* approved()
        const [first] = yield* claim(start)
        if (first === undefined) return assert.fail("nothing was due")
        yield* store.settle(first, { state: "waiting", until: start + hour, reason: "busy" }, start)
        assert.deepStrictEqual(yield* store.nextDue(both), Option.some(start + hour))
        const [second] = yield* claim(start + hour)
        if (second === undefined) return assert.fail("it was not due")
        yield* store.settle(second, { state: "released" }, start + hour + 1)
        assert.deepStrictEqual(yield* store.nextDue(both), Option.some(start + hour + 1))
        assert.deepStrictEqual(yield* claim(start + hour + 1), [{ ...second, ticket: second.ticket + 1 }])
      }))

    it("if the ticket of a media attempt is outdated, only a success settles the job", () =>
      Effect.gen(function* () {
        const store = yield* MediaJobStore
        const shareId = yield* approved()
        const [first] = yield* claim(start)
        const [second] = yield* claim(start + minute)
        if (first === undefined || second === undefined) return assert.fail("it was not taken twice")
        yield* store.settle(first, { state: "failed", reason: "late" }, start + minute)
        yield* store.settle(first, { state: "waiting", until: start, reason: "late" }, start + minute)
        yield* store.settle(first, { state: "released" }, start + minute)
        assert.deepStrictEqual(yield* store.failed(10), [])
        assert.deepStrictEqual(yield* store.nextDue(both), Option.some(start + 2 * minute))
        yield* store.settle(second, { state: "failed", reason: "no" }, start + minute)
        yield* recordUrl(first)
        assert.deepStrictEqual(yield* urlsOf(shareId), [url, null])
        assert.deepStrictEqual(yield* store.failed(10), [])
      }))

    it("a ticket is never reused, so a failure with an outdated ticket changes nothing, even if the attempt numbers are equal", () =>
      Effect.gen(function* () {
        const store = yield* MediaJobStore
        const shareId = yield* approved()
        const [first] = yield* claim(start)
        const [second] = yield* claim(start + minute)
        if (first === undefined || second === undefined) return assert.fail("it was not taken twice")
        yield* store.settle(second, { state: "released" }, start + minute)
        yield* store.settle(first, { state: "failed", reason: "late" }, start + minute)
        assert.deepStrictEqual(yield* store.failed(10), [])
        const [third] = yield* claim(start + minute)
        if (third === undefined) return assert.fail("it was not due")
        yield* store.settle(third, { state: "failed", reason: "no" }, start + minute)
        assert.strictEqual(yield* store.restart(shareId, start + hour), 1)
        const [fourth] = yield* claim(start + hour)
        assert.strictEqual(fourth?.attempts, first.attempts)
        yield* store.settle(first, { state: "failed", reason: "late" }, start + hour)
        yield* store.settle(second, { state: "waiting", until: start, reason: "late" }, start + hour)
        assert.deepStrictEqual(yield* store.failed(10), [])
        assert.deepStrictEqual(yield* store.nextDue(both), Option.some(start + hour + minute))
        const tickets = [first, second, third, fourth].map((one) => one?.ticket)
        assert.strictEqual(new Set(tickets).size, 4)
      }))

    it("failed media jobs are listed newest first with their reasons, and can be restarted", () =>
      Effect.gen(function* () {
        const store = yield* MediaJobStore
        const one = yield* approved()
        const other = yield* approved()
        for (const [index, taken] of (yield* claim(start)).entries()) {
          yield* store.settle(taken, { state: "failed", reason: `no ${index}` }, start + index)
        }
        const failed = yield* store.failed(10)
        assert.deepStrictEqual(
          failed.map(({ at, reason }) => [at, reason]),
          [
            [start + 1, "no 1"],
            [start, "no 0"]
          ]
        )
        assert.lengthOf(yield* store.failed(1), 1)
        assert.strictEqual(yield* store.restart(one, start + hour), 1)
        assert.strictEqual(yield* store.restart(null, start + hour), 1)
        assert.deepStrictEqual(yield* store.failed(10), [])
        const again = yield* claim(start + hour)
        assert.deepStrictEqual(
          again.map(({ attempts, shareId }) => [shareId, attempts]).toSorted(),
          [
            [one, 1],
            [other, 1]
          ].toSorted()
        )
      }))

    it("a restart of one assignment makes its waiting media jobs due now, and leaves its claimed jobs unchanged", () =>
      Effect.gen(function* () {
        const store = yield* MediaJobStore
        const shareId = yield* approved()
        const [taken] = yield* claim(start)
        if (taken === undefined) return assert.fail("nothing was due")
        assert.strictEqual(yield* store.restart(shareId, start), 0)
        yield* store.settle(taken, { state: "waiting", until: start + hour, reason: "busy" }, start)
        assert.strictEqual(yield* store.restart(null, start), 0)
        assert.strictEqual(yield* store.restart(shareId, start), 1)
        assert.deepStrictEqual(yield* claim(start), [{ ...taken, ticket: taken.ticket + 1 }])
      }))

    it("a media URL is not lost if another change of the assignment runs at the same time", () =>
      Effect.gen(function* () {
        const shareId = yield* approved()
        const [taken] = yield* claim(start)
        if (taken === undefined) return assert.fail("nothing was due")
        yield* Effect.all(
          [
            recordUrl(taken),
            (yield* AssignmentStore).modify(shareId, (present) =>
              Result.succeed({
                assignment: { ...present, creator: { name: "", email: "" } },
                notices: []
              })
            )
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(yield* urlsOf(shareId), [url, null])
      }))
  })
}
