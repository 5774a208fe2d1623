/**
 * Tests a failover, in which a streaming replica is promoted and the database's address then leads to the replica.
 * After a failover, writes, LISTEN and the database clock must recover without a restart of the process.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Channel from "@partner-commentary/postgres/Channel"
import * as DatabaseClock from "@partner-commentary/postgres/DatabaseClock"
import * as PostgresClient from "@partner-commentary/postgres/PostgresClient"
import * as Forwarder from "@partner-commentary/test/postgres/Forwarder"
import * as PostgresServer from "@partner-commentary/test/postgres/PostgresServer"
import * as Standby from "@partner-commentary/test/postgres/Standby"
import { runOnDatabase } from "@partner-commentary/test/postgres/TestDatabase"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as SqlClient from "effect/sql/SqlClient"

const poolSize = 5

/**
 * The maximum time from the promotion to the first acknowledged write. The limit of 10 seconds is much longer than a
 * usual recovery, which takes tens of milliseconds.
 */
const bound = Duration.seconds(10)

const cluster = Effect.acquireRelease(
  Effect.promise(() => PostgresServer.startPostgresServer()),
  ({ stop }) => Effect.promise(stop)
)

const failover = Effect.fnUntraced(function* (
  leave: (primary: PostgresServer.PostgresTestServer) => Effect.Effect<unknown>
) {
  const primary = yield* cluster
  yield* runOnDatabase(Redacted.make(primary.url), (sql) => sql`CREATE TABLE kept (n INTEGER)`)
  const standby = yield* Standby.startStandby(primary)
  const forwarder = yield* Effect.acquireRelease(
    Effect.promise(() => Forwarder.openPortForwarder(primary.url)),
    ({ close }) => Effect.promise(close)
  )
  const client = yield* PostgresClient.make({ url: Redacted.make(forwarder.url), poolSize })
  const write = (n: number) => client`INSERT INTO kept (n) VALUES (${n})`
  const channel = yield* Effect.provideService(Channel.make, SqlClient.SqlClient, client)
  const heard = yield* Queue.unbounded<string>()
  channel.onMessage((message) =>
    message === Channel.connectionLostMessage ? Effect.void : Queue.offer(heard, message)
  )
  const listener = yield* PostgresClient.make({ url: Redacted.make(forwarder.url), poolSize: 1, statementTimeout: 0 })
  yield* Channel.listen(channel, Channel.openListeningSession(listener), {
    interval: "500 millis",
    timeout: "2 seconds"
  })
  // The test makes the pool open all its connections to the old primary.
  yield* Effect.forEach(Array.from({ length: poolSize }), () => client`SELECT pg_sleep(0.2)`, { concurrency: poolSize })
  yield* write(1)
  yield* channel.say("before")
  assert.strictEqual(yield* Queue.take(heard), "before")
  const onStandby = <A, E>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
    runOnDatabase(Redacted.make(standby.url), use)
  const counted = Effect.map(
    onStandby((sql) => sql<{ readonly count: number }>`SELECT COUNT(*) AS count FROM kept WHERE n > 0`),
    ([row]) => row?.count
  )
  yield* Effect.repeat(Effect.delay(counted, "50 millis"), { until: (count) => count === 1 })

  yield* leave(primary)
  // Sessions of a killed primary can still succeed for a short time, so the test writes until a write fails.
  yield* Effect.repeat(Effect.result(write(-1)), { until: ({ _tag }) => _tag === "Failure" })
  forwarder.moveTo(standby.url)
  // The test opens connections to the replica while the replica is still read-only.
  yield* Effect.forEach(Array.from({ length: poolSize }), () => Effect.result(write(-1)), { concurrency: poolSize })
  const promoted = performance.now()
  yield* onStandby((sql) => sql`SELECT pg_promote(false)`)
  let refused = 0
  while ((yield* Effect.result(write(2)))._tag === "Failure") {
    refused++
    yield* Effect.sleep("20 millis")
    assert.isBelow(performance.now() - promoted, Duration.toMillis(bound))
  }
  const seconds = (performance.now() - promoted) / 1000
  yield* Effect.logInfo(`First acknowledged write ${seconds.toFixed(2)} s after the promotion, ${refused} refused`)
  // After the first acknowledged write, every connection of the pool accepts writes.
  yield* Effect.forEach(Array.from({ length: poolSize * 4 }), (_, n) => write(n + 3), { concurrency: poolSize })
  assert.strictEqual(yield* counted, 2 + poolSize * 4)

  yield* Effect.repeat(Effect.andThen(channel.say("after"), Effect.timeoutOption(Queue.take(heard), "500 millis")), {
    until: (message) => message._tag === "Some" && message.value === "after"
  }).pipe(Effect.timeout("30 seconds"))
  const clock = yield* Effect.provide(
    Clock.Clock,
    DatabaseClock.layer.pipe(Layer.provide(Layer.succeed(SqlClient.SqlClient, client)))
  )
  assert.isBelow(Math.abs(clock.currentTimeMillisUnsafe() - performance.timeOrigin - performance.now()), 60_000)
})

describe("Failover", () => {
  it.live("writes continue on the promoted replica within seconds after the primary died", () =>
    failover((primary) => Effect.sync(() => process.kill(primary.pid(), "SIGKILL"))).pipe(
      Effect.scoped,
      Effect.provide(Reactivity.layer)
    )
  )

  it.live(
    "writes continue on the promoted replica although the old primary still runs read-only and keeps its connections open",
    () =>
      failover((primary) =>
        runOnDatabase(Redacted.make(primary.url), (sql) =>
          Effect.andThen(sql`ALTER SYSTEM SET default_transaction_read_only = on`, sql`SELECT pg_reload_conf()`)
        ).pipe(Effect.andThen(Effect.sleep("500 millis")))
      ).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )
})
