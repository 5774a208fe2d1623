/**
 * Tests the guarantees of the Transaction port. Changes of several stores are atomic. An afterCommit effect runs after
 * the commit, and never after a rollback.
 */
import { assert, describe } from "@effect/vitest"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { runAfterCommit, Transaction } from "@partner-commentary/core/shared/Transaction"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import type { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { makeMail, makePersona, makeRepeatedSubmission, makeSubmission } from "../support/Fixtures.ts"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"
import { readTopicUsage } from "../webhook/TopicUsage.ts"

type Stores = Transaction | TopicStore | MailStore | UsageStore

export const suite = <E>(name: string, layer: Layer.Layer<Stores, E>): void => {
  describe(`${name}: Transaction`, () => {
    const it = makeGuaranteeTest(layer)

    it("a transaction commits the changes of several stores together", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const topics = yield* TopicStore
        const mails = yield* MailStore
        const given = makeSubmission({ topic: { environment: "test" } })
        const made = yield* run(Effect.tap(topics.submit(given), mails.queue(makeMail())))
        assert.strictEqual(made.topic.id, given.topic.id)
        assert.isTrue(Option.isSome(yield* topics.find(given.topic, given.topic.id)))
        assert.isTrue(Option.isSome(yield* mails.nextDue))
      }))

    it("a failure in a transaction is returned unchanged and rolls back every store", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const topics = yield* TopicStore
        const mails = yield* MailStore
        const given = makeSubmission()
        const failed = yield* Effect.flip(
          run(Effect.andThen(topics.submit(given), Effect.andThen(mails.queue(makeMail()), Effect.fail("refused"))))
        )
        assert.strictEqual(failed, "refused")
        assert.isTrue(Option.isNone(yield* topics.find(given.topic, given.topic.id)))
        assert.isTrue(Option.isNone(yield* mails.nextDue))
        assert.deepStrictEqual(yield* readTopicUsage(given.topic), { topics: 0, held: 0, units: 0 })
      }))

    it("if a store rejects a change within a transaction, only this change is rolled back", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const topics = yield* TopicStore
        const first = makeSubmission({ personas: [makePersona()] })
        const refused = yield* run(
          Effect.andThen(topics.submit(first), Effect.flip(topics.submit(makeRepeatedSubmission(first))))
        )
        assert.strictEqual(refused._tag, "NoValidPersonas")
        assert.deepStrictEqual(yield* readTopicUsage(first.topic), { topics: 1, held: 1, units: 1 })
      }))

    it("if one of two concurrent nested changes fails, only the failed change is rolled back", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const topics = yield* TopicStore
        const [kept, dropped] = [makeSubmission(), makeSubmission()]
        const began = yield* Deferred.make<void>()
        // Savepoints must be nested, so the second of two concurrent nested changes waits until the first change has
        // ended.
        const failing = run(
          Effect.gen(function* () {
            yield* topics.submit(dropped)
            yield* Deferred.succeed(began, undefined)
            yield* Effect.repeat(Effect.yieldNow, { times: 10 })
            return yield* Effect.fail("refused")
          })
        )
        const other = Effect.andThen(Deferred.await(began), run(topics.submit(kept)))
        yield* run(Effect.all([Effect.flip(failing), other], { concurrency: "unbounded" }))
        assert.isTrue(Option.isSome(yield* topics.find(kept.topic, kept.topic.id)))
        assert.isTrue(Option.isNone(yield* topics.find(dropped.topic, dropped.topic.id)))
      }))

    it("an afterCommit effect runs after other connections can see the change, and immediately if no transaction is running", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const topics = yield* TopicStore
        const given = makeSubmission()
        const seen: Array<boolean> = []
        const look = Effect.map(topics.find(given.topic, given.topic.id), (found) => {
          seen.push(Option.isSome(found))
        })
        yield* run(
          Effect.gen(function* () {
            yield* topics.submit(given)
            yield* run(runAfterCommit(look))
            assert.deepStrictEqual(seen, [])
          })
        )
        assert.deepStrictEqual(seen, [true])
        yield* runAfterCommit(look)
        assert.deepStrictEqual(seen, [true, true])
      }))

    it("an afterCommit effect of a rolled-back change never runs", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        let ran = 0
        const count = runAfterCommit(
          Effect.sync(() => {
            ran++
          })
        )
        yield* Effect.flip(run(Effect.andThen(count, Effect.fail("refused"))))
        yield* run(Effect.flip(run(Effect.andThen(count, Effect.fail("refused")))))
        assert.strictEqual(ran, 0)
        yield* run(count)
        assert.strictEqual(ran, 1)
      }))

    it("an interrupted transaction is rolled back", () =>
      Effect.gen(function* () {
        const { run } = yield* Transaction
        const topics = yield* TopicStore
        const given = makeSubmission()
        const reached = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          run(Effect.andThen(topics.submit(given), Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)))
        )
        yield* Deferred.await(reached)
        yield* Fiber.interrupt(fiber)
        assert.deepStrictEqual(yield* readTopicUsage(given.topic), { topics: 0, held: 0, units: 0 })
      }))
  })
}
