/** Tests the guarantees of the WorkBacklog port. A WorkBacklog counts due work by kind, up to a limit. */
import { assert, describe } from "@effect/vitest"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import {
  type DueWorkCounts,
  type WaitingWorkCounts,
  WorkBacklog
} from "@partner-commentary/core/operations/WorkBacklog"
import type { Instant } from "@partner-commentary/core/shared/Instant"
import type { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import * as CircuitBreaker from "@partner-commentary/core/webhook/CircuitBreaker"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import { RedeliveryStore } from "@partner-commentary/core/webhook/RedeliveryStore"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/testing/TestClock"
import * as Creator from "../support/Creator.ts"
import {
  day,
  hour,
  makeMail,
  makeOrganizationId,
  makeOwner,
  makePersonas,
  makeSubmission,
  makeWebhook,
  start
} from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

const far = 10_000
const audit = { action: "webhook.created", details: {} }

export const suite = <E>(
  name: string,
  layer: Layer.Layer<
    WorkBacklog | MailStore | TopicStore | AssignmentStore | WebhookStore | DeliveryStore | RedeliveryStore,
    E
  >
): void => {
  describe(`${name}: WorkBacklog`, () => {
    const it = makeGuaranteeTest(layer)

    /** Returns the difference to an earlier count, because tests may share a database. */
    const growth = <Counts extends DueWorkCounts | WaitingWorkCounts>(
      count: Effect.Effect<Counts, never, WorkBacklog>
    ) =>
      Effect.map(count, (before) =>
        Effect.map(count, (now) => {
          const earlier: Readonly<Record<string, number>> = { ...before }
          return Object.fromEntries(Object.entries(now).map(([kind, value]) => [kind, value - (earlier[kind] ?? 0)]))
        })
      )

    const due = (at: Instant, limit = far) => Effect.flatMap(WorkBacklog, (backlog) => backlog.due(at, limit))
    const waiting = (at: Instant, limit = far) => Effect.flatMap(WorkBacklog, (backlog) => backlog.waiting(at, limit))
    const nothing = { assignments: 0, tests: 0, mails: 0, media: 0, recoveries: 0 }
    const quiet = { mails: 0, stalledDrafts: 0, openCircuits: 0, halfOpenCircuits: 0 }

    it("mails with and without an organization count as due from their due time, and as unsettled until they are settled", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const dueThen = yield* growth(due(start))
        const dueEarlier = yield* growth(due(start - 1))
        const waits = yield* growth(waiting(start))
        for (const organization of [null, null, makeOrganizationId(), makeOrganizationId()]) {
          yield* store.queue(makeMail({ organizationId: organization }))
        }
        assert.deepStrictEqual(yield* dueThen, { ...nothing, mails: 4 })
        assert.deepStrictEqual(yield* dueEarlier, nothing)
        assert.deepStrictEqual(yield* waits, { ...quiet, mails: 4 })
        const claimed = yield* store.claim(start, start + hour, far)
        assert.deepStrictEqual(yield* dueThen, nothing, "under way until the lease ends")
        for (const one of claimed) yield* store.settle(one, { state: "sent" }, start)
        assert.deepStrictEqual(yield* waits, quiet)
      }))

    it("due assignments of the live and the test environment are counted separately", () =>
      Effect.gen(function* () {
        const topics = yield* TopicStore
        const early = yield* growth(due(start))
        const late = yield* growth(due(start + 3 * day))
        yield* topics.submit(makeSubmission({ personas: makePersonas(2), topic: makeOwner() }))
        yield* topics.submit(makeSubmission({ topic: makeOwner({ environment: "test" }) }))
        assert.deepStrictEqual(yield* early, { ...nothing, mails: 2 })
        assert.deepStrictEqual(yield* late, { ...nothing, assignments: 2, tests: 1, mails: 2 })
      }))

    it("a draft counts as stalled after all its generation attempts have failed", () =>
      Effect.gen(function* () {
        const topics = yield* TopicStore
        const waits = Effect.map(waiting(start), ({ stalledDrafts }) => stalledDrafts)
        const before = yield* waits
        const given = makeSubmission()
        yield* topics.submit(given)
        const id = given.candidates[0]?.shareId ?? assert.fail()
        yield* Creator.submitPerspective(id)
        yield* Creator.runDueStep(id)
        assert.strictEqual(yield* waits, before)
        yield* Creator.failAttempt(id)
        assert.strictEqual(yield* waits, before + 1)
      }))

    it("failed mails that wait for a retry are counted with the oldest time and the last reason, until they are settled", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        const backlog = yield* WorkBacklog
        const count = Effect.map(backlog.mailsToRetry, Option.match({ onNone: () => 0, onSome: ({ count }) => count }))
        const before = yield* count
        const last = makeMail()
        yield* store.queue(makeMail({ createdAt: start - hour }))
        yield* store.queue(last)
        assert.strictEqual(yield* count, before, "none was attempted")
        const claimed = yield* store.claim(start, start + hour, far)
        assert.strictEqual(yield* count, before, "none has failed")
        for (const one of claimed) {
          const until = start + (one.id === last.id ? 200 : 100) * day
          yield* store.settle(one, { state: "waiting", until, reason: one.id }, start)
        }
        const waits = Option.getOrThrow(yield* backlog.mailsToRetry)
        assert.strictEqual(waits.lastReason, last.id)
        assert.isAtMost(waits.oldest, start - hour)
        assert.isAtLeast(waits.count, before + 2)
        for (const one of yield* store.claim(start + 300 * day, start + 301 * day, far)) {
          yield* store.settle(one, { state: "sent" }, start)
        }
        assert.deepStrictEqual(yield* backlog.mailsToRetry, Option.none())
      }))

    it("a draft with a failed attempt is counted until its next attempt starts", () =>
      Effect.gen(function* () {
        const topics = yield* TopicStore
        const backlog = yield* WorkBacklog
        const count = Effect.map(backlog.draftsToRetry, Option.match({ onNone: () => 0, onSome: ({ count }) => count }))
        const given = makeSubmission()
        yield* topics.submit(given)
        const id = given.candidates[0]?.shareId ?? assert.fail()
        yield* Creator.submitPerspective(id)
        yield* Creator.runDueStep(id)
        const before = yield* count
        yield* Creator.failAttemptTemporarily(id)
        assert.strictEqual(yield* count, before + 1)
        assert.isAtLeast(Option.getOrThrow(yield* backlog.draftsToRetry).mostAttempts, 1)
        yield* TestClock.adjust("1 hour")
        yield* Creator.runDueStep(id)
        assert.strictEqual(yield* count, before)
      }))

    it("an open circuit breaker counts as half open when its next probe is due", () =>
      Effect.gen(function* () {
        const mine = makeOwner()
        const deliveries = yield* DeliveryStore
        const early = yield* growth(waiting(start))
        const late = yield* growth(waiting(start + hour))
        const made = makeWebhook({ owner: mine, events: ["commentary.failed"] })
        yield* (yield* WebhookStore).insert({ webhook: made, audit, notice: null }, "sealed", 20)
        const given = makeSubmission({ topic: mine })
        yield* (yield* TopicStore).submit(given)
        yield* Creator.decline(given.candidates[0]?.shareId ?? assert.fail())
        const opened = {
          health: { ...CircuitBreaker.healthyState, failingSince: start, probes: 0 },
          quietUntil: start + hour
        }
        yield* deliveries.claim(made.id, start, start + hour, {
          allow: () => ({ limit: 1, probe: false }),
          taken: (present) => ({ ...present, ...opened })
        })
        assert.deepInclude(yield* early, { openCircuits: 1, halfOpenCircuits: 0 })
        assert.deepInclude(yield* late, { openCircuits: 0, halfOpenCircuits: 1 })
      }))

    it("a recovery job counts as due from its request until the job is done", () =>
      Effect.gen(function* () {
        const store = yield* RedeliveryStore
        const count = yield* growth(due(start))
        const made = makeWebhook()
        yield* (yield* WebhookStore).insert({ webhook: made, audit, notice: null }, "sealed", 20)
        const span = { since: start - day, until: start }
        yield* store.open(
          { id: makeOrganizationId(), webhookId: made.id, ...span, held: false, askedAt: start },
          { ...audit, subject: made.id, organizationId: made.owner.organizationId }
        )
        assert.deepStrictEqual(yield* count, { ...nothing, recoveries: 1 })
        assert.deepStrictEqual(yield* store.nextDue, Option.some(start))
        yield* store.step(start, far, (receiver) => receiver)
        assert.deepStrictEqual(yield* count, nothing)
        assert.deepStrictEqual(yield* store.nextDue, Option.none())
      }))

    it("each count of the backlog stops at the limit", () =>
      Effect.gen(function* () {
        const store = yield* MailStore
        for (let count = 0; count < 5; count++) yield* store.queue(makeMail({ organizationId: makeOrganizationId() }))
        assert.strictEqual((yield* due(start, 3)).mails, 3)
        assert.strictEqual((yield* waiting(start, 3)).mails, 3)
      }))
  })
}
