/** Tests concurrent changes, which cannot happen on SQLite, because SQLite has only one writer at a time. */
import { assert, describe, it } from "@effect/vitest"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import type { ShareId } from "@partner-commentary/core/shared/Ids"
import { Transaction } from "@partner-commentary/core/shared/Transaction"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import { transact } from "@partner-commentary/sql/database/Transaction"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Creator from "@partner-commentary/testkit/support/Creator"
import {
  makeMail,
  makeOwner,
  makePersonas,
  makeSubmission,
  makeWebhook,
  minute,
  start
} from "@partner-commentary/testkit/support/Fixtures"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const audit = { action: "webhook.created", details: {} }
const moment = TestClock.withLive(Effect.sleep("200 millis"))

describe("Concurrent changes on Postgres", () => {
  it.effect("a webhook that is removed while an event is written keeps no deliveries", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const sql = yield* SqlClient.SqlClient
      const webhooks = yield* WebhookStore
      const { run } = yield* Transaction
      const mine = makeOwner()
      const made = makeWebhook({ owner: mine, events: ["commentary.failed", "topic.completed"] })
      yield* webhooks.insert({ webhook: made, audit, notice: null }, "sealed", 20)
      const given = makeSubmission({ topic: { ...mine }, personas: makePersonas(1) })
      const [share] = (yield* (yield* TopicStore).submit(given)).sent
      const written = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const declining = yield* Effect.forkChild(
        run(
          Effect.gen(function* () {
            yield* Creator.decline(share ?? assert.fail())
            yield* Deferred.succeed(written, undefined)
            yield* Deferred.await(go)
          })
        )
      )
      yield* Deferred.await(written)
      const removing = yield* Effect.forkChild(
        webhooks.remove(mine, made.id, { action: "webhook.removed", details: {} })
      )
      yield* moment
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(declining)
      assert.isTrue(yield* Fiber.join(removing))
      assert.lengthOf(yield* sql`SELECT id FROM events`, 2)
      while ((yield* webhooks.clear(500)) > 0);
      assert.deepStrictEqual(yield* sql`SELECT event_id FROM deliveries`, [])
    }).pipe(Effect.provide(TestDatabase.layer))
  )

  it.effect("a change that waits for a locked topic does not delay changes of other topics", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { run } = yield* Transaction
      const topics = yield* TopicStore
      const [held, waits] = (yield* topics.submit(makeSubmission({ personas: makePersonas(2) }))).sent
      const [other] = (yield* topics.submit(makeSubmission({ personas: makePersonas(1) }))).sent
      if (held === undefined || waits === undefined || other === undefined) return assert.fail("nothing was sent")
      const written = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const holding = yield* Effect.forkChild(
        run(
          Effect.andThen(Creator.cancel(held), Effect.andThen(Deferred.succeed(written, undefined), Deferred.await(go)))
        )
      )
      yield* Deferred.await(written)
      const waiting = yield* Effect.forkChild(Creator.respondAndDraft(waits), { startImmediately: true })
      yield* Creator.submitPerspective(other)
      assert.isUndefined(waiting.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(holding)
      yield* Fiber.join(waiting)
    }).pipe(Effect.provide(TestDatabase.layer))
  )

  it.effect("a change that waits for the counters of its organization does not delay other organizations", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { run } = yield* Transaction
      const topics = yield* TopicStore
      const submit = (mine: ReturnType<typeof makeOwner>) =>
        Effect.map(topics.submit(makeSubmission({ topic: { ...mine }, personas: makePersonas(1) })), ({ sent }) => {
          const [share] = sent
          return share ?? assert.fail("nothing was sent")
        })
      const mine = makeOwner()
      const [held, waits, other] = [yield* submit(mine), yield* submit(mine), yield* submit(makeOwner())]
      const written = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const holding = yield* Effect.forkChild(
        run(
          Effect.andThen(
            Creator.decline(held),
            Effect.andThen(Deferred.succeed(written, undefined), Deferred.await(go))
          )
        )
      )
      yield* Deferred.await(written)
      const waiting = yield* Effect.forkChild(Creator.decline(waits), { startImmediately: true })
      yield* Creator.decline(other)
      assert.isUndefined(waiting.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(holding)
      yield* Fiber.join(waiting)
    }).pipe(Effect.provide(TestDatabase.layer))
  )

  it.effect("a change that fails does not affect concurrent changes, which succeed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const store = yield* AssignmentStore
      const { sent } = yield* (yield* TopicStore).submit(makeSubmission({ personas: makePersonas(4) }))
      const broken = (id: ShareId) => store.modify(id, () => assert.fail("this change is broken"))
      const change = (id: ShareId, index: number) =>
        Effect.matchCause(index === 1 ? Effect.asVoid(broken(id)) : Effect.asVoid(Creator.submitPerspective(id)), {
          onFailure: () => false,
          onSuccess: () => true
        })
      const succeeded = yield* Effect.forEach(sent, change, { concurrency: "unbounded" })
      assert.deepStrictEqual(succeeded, [true, false, true, true])
    }).pipe(Effect.provide(TestDatabase.layer))
  )

  it.effect("a sent mail whose row is locked does not delay other sent mails", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const sql = yield* SqlClient.SqlClient
      const store = yield* MailStore
      for (const wanted of [makeMail(), makeMail(), makeMail()]) yield* store.queue(wanted)
      const claimed = yield* store.claim(start, start + minute, 3)
      const [first, locked, other] = claimed
      if (first === undefined || locked === undefined || other === undefined) return assert.fail("nothing was claimed")
      const held = yield* Deferred.make<void>()
      const go = yield* Deferred.make<void>()
      const holding = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.andThen(
            sql`SELECT id FROM mails WHERE id = ${locked.id} FOR UPDATE`,
            Effect.andThen(Deferred.succeed(held, undefined), Deferred.await(go))
          )
        )
      )
      yield* Deferred.await(held)
      const settle = (one: (typeof claimed)[number]) => store.settle(one, { state: "sent" }, start)
      // The update of the first mail runs as a statement of its own, and the updates of the other two mails share the
      // next statement.
      const settling = yield* Effect.forEach([first, locked, other], (one) =>
        Effect.forkChild(settle(one), { startImmediately: true })
      )
      assert.isTrue(yield* Fiber.join(settling[2] ?? assert.fail()))
      assert.isUndefined(settling[1]?.pollUnsafe())
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(holding)
      assert.deepStrictEqual(yield* Effect.forEach(settling, Fiber.join), [true, true, true])
    }).pipe(Effect.provide(TestDatabase.layer))
  )

  it.effect("the server rolls back one of two changes that deadlock, and the service retries this change", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO usage_months (organization_id, environment, period) VALUES ('a', 'live', 'p'), ('b', 'live', 'p')`
      let runs = 0
      let holding = 0
      const bothHold = yield* Deferred.make<void>()
      const both = (first: string, second: string) =>
        transact(
          sql,
          Effect.gen(function* () {
            runs++
            yield* sql`UPDATE usage_months SET api_calls = api_calls + 1 WHERE organization_id = ${first}`
            if (++holding === 2) yield* Deferred.succeed(bothHold, undefined)
            yield* Deferred.await(bothHold)
            yield* sql`UPDATE usage_months SET api_calls = api_calls + 1 WHERE organization_id = ${second}`
          })
        )
      yield* Effect.all([both("a", "b"), both("b", "a")], { concurrency: 2 })
      assert.isAbove(runs, 2)
      const rows = yield* sql<{ readonly api_calls: number }>`SELECT api_calls FROM usage_months`
      assert.deepStrictEqual(
        rows.map(({ api_calls }) => api_calls),
        [2, 2]
      )
    }).pipe(Effect.provide(TestDatabase.layer))
  )
})
