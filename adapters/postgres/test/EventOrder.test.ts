/**
 * Tests readers that read events while writers write events. A reader must get each event exactly once, even if the
 * event's transaction commits late.
 */
import { assert, describe, it } from "@effect/vitest"
import type { ShareId, TopicId } from "@partner-commentary/core/shared/Ids"
import { now, toIso } from "@partner-commentary/core/shared/Instant"
import type { Owner } from "@partner-commentary/core/shared/Owner"
import { Transaction } from "@partner-commentary/core/shared/Transaction"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { makeLowestEventId } from "@partner-commentary/core/webhook/Event"
import { EventHistory } from "@partner-commentary/core/webhook/EventHistory"
import * as TestDatabase from "@partner-commentary/test/postgres/TestDatabase"
import * as Creator from "@partner-commentary/testkit/support/Creator"
import {
  makeOwner,
  makePersonas,
  makeShareId,
  makeSubmission,
  start
} from "@partner-commentary/testkit/support/Fixtures"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"

const layer = EventHistory.layer.pipe(Layer.provideMerge(TestDatabase.layer))
const atOnce = { concurrency: "unbounded" } as const

const submitted = Effect.fnUntraced(function* (mine: Owner) {
  const { sent, topic } = yield* (yield* TopicStore).submit(
    makeSubmission({ topic: { ...mine }, personas: makePersonas(2) })
  )
  return { sent, topicId: topic.id }
})

/**
 * A reader that remembers its position. Each call reads all new events, and returns the id of each event's assignment
 * or topic.
 */
const reader = Effect.map(EventHistory, (events) => (mine: Owner) => {
  let behind: Parameters<typeof events.page>[0]["behind"] = null
  return Effect.gen(function* () {
    const read: Array<ShareId | TopicId> = []
    for (;;) {
      const asked = { owner: mine, type: null, since: null, limit: 5, behind, forward: true }
      const { events: page, next } = yield* events.page(asked)
      behind = Option.getOrThrow(next)
      if (page.length === 0) return read
      read.push(
        ...page.map(({ payload }) => JSON.parse(payload).data).map(({ share_id, topic_id }) => share_id ?? topic_id)
      )
    }
  })
})

/**
 * Writes an event in a transaction that stays open until the effect `go` completes. The test writes events directly,
 * because changes of assignments would wait for their counters.
 */
const writing = Effect.fnUntraced(function* (mine: Owner, share: ShareId, go: Effect.Effect<unknown>) {
  const { run } = yield* Transaction
  const sql = yield* SqlClient.SqlClient
  const written = yield* Deferred.make<number>()
  const at = yield* now
  const id = `${makeLowestEventId(at).slice(0, 24)}${share.slice(24)}`
  const row = { id, organization_id: mine.organizationId, environment: mine.environment, type: "commentary.failed" }
  const payload = JSON.stringify({ data: { share_id: share } })
  const fiber = yield* Effect.forkChild(
    run(
      Effect.gen(function* () {
        yield* sql`INSERT INTO events ${sql.insert({ ...row, share_id: share, created_at: toIso(at), payload })}`
        const [backend] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
        yield* Deferred.succeed(written, backend?.pid ?? 0)
        yield* go
      }).pipe(Effect.orDie)
    )
  )
  return { fiber, pid: yield* Deferred.await(written) }
})

describe("Event order on Postgres", () => {
  it.effect("a reader that has read newer events still gets an older event whose transaction commits late", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const mine = makeOwner()
      const [early, late] = [makeShareId(), makeShareId()]
      const read = (yield* reader)(mine)
      const go = yield* Deferred.make<void>()
      const open = yield* writing(mine, early, Deferred.await(go))
      assert.deepStrictEqual(yield* read, [])
      yield* TestClock.setTime(start + 1000)
      yield* Fiber.join((yield* writing(mine, late, Effect.void)).fiber)
      assert.deepStrictEqual(yield* read, [late])
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(open.fiber)
      assert.deepStrictEqual(yield* read, [early])
      assert.deepStrictEqual(yield* read, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("a reader gets each committed event exactly once, even if writers are slow or killed", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const mine = makeOwner()
      const sql = yield* SqlClient.SqlClient
      const shares = Array.from({ length: 60 }, makeShareId)
      const read = (yield* reader)(mine)
      const seen: Array<ShareId | TopicId> = []
      const following = yield* Effect.forkChild(
        Effect.forever(
          Effect.andThen(
            // If a read were interrupted, the reader's position would advance without the events in `seen`.
            Effect.uninterruptible(Effect.tap(read, (some) => Effect.sync(() => seen.push(...some)))),
            Effect.yieldNow
          )
        )
      )
      const exits = yield* Effect.forEach(
        shares,
        (share, nth) =>
          Effect.gen(function* () {
            const isKilled = nth % 5 === 0
            const killed = yield* Deferred.make<void>()
            const pause = TestClock.withLive(Effect.sleep(`${(nth * 7) % 23} millis`))
            const { fiber, pid } = yield* writing(mine, share, isKilled ? Deferred.await(killed) : pause)
            if (isKilled) yield* Effect.orDie(sql`SELECT pg_terminate_backend(${pid})`)
            yield* Deferred.succeed(killed, undefined)
            return yield* Fiber.await(fiber)
          }),
        { concurrency: 4 }
      )
      yield* Fiber.interrupt(following)
      seen.push(...(yield* read))
      const committed = shares.filter((_, nth) => Exit.isSuccess(exits[nth] ?? assert.fail()))
      assert.lengthOf(committed, (shares.length * 4) / 5)
      assert.deepStrictEqual(seen.toSorted(), committed.toSorted())
    }).pipe(Effect.provide(layer))
  )

  it.effect("a reader gets each event of many concurrent writers once, and each topic is completed once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const mine = makeOwner()
      const topics = yield* Effect.forEach(Array.from({ length: 30 }), () => submitted(mine))
      const shares = topics.flatMap(({ sent }) => sent)
      const read = (yield* reader)(mine)
      yield* Effect.forEach(shares, (share) => Creator.decline(share), atOnce)
      const expected = [...shares, ...topics.map(({ topicId }) => topicId)]
      assert.deepStrictEqual((yield* read).toSorted(), expected.toSorted())
    }).pipe(Effect.provide(layer))
  )
})
