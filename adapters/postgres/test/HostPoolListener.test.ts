/**
 * Tests that a session for LISTEN belongs to the service until the scope closes, and never returns to the host's pool.
 */
import { assert, it } from "@effect/vitest"
import type * as HostPool from "@partner-commentary/postgres/HostPool"
import * as HostPoolListener from "@partner-commentary/postgres/HostPoolListener"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"

/** Records for each session whether the session returns to the pool or is ended. */
const poolOf = (answer: HostPool.ApplicationPoolSession["query"], on?: () => void) => {
  const releases: Array<"returned" | "ended"> = []
  const connected = Promise.withResolvers<void>()
  const session = {
    query: answer,
    release: (destroy?: boolean) => void releases.push(destroy === true ? "ended" : "returned"),
    ...(on === undefined ? {} : { on, removeListener: on })
  }
  const pool = { query: answer, connect: () => connected.promise.then(() => session) }
  return { pool, releases, connect: connected.resolve }
}

const answered = () => Promise.resolve({ rows: [] })
const silent = () => new Promise<never>(() => {})
const turns = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))

const startListening = (pool: HostPool.HostPool) =>
  Effect.forkChild(Effect.scoped(HostPoolListener.openListeningSession(pool)), { startImmediately: true })

it.live("if LISTEN is interrupted before the pool provides a session, the session returns to the pool", () =>
  Effect.gen(function* () {
    const { connect, pool, releases } = poolOf(answered, () => {})
    const fiber = yield* startListening(pool)
    yield* Fiber.interrupt(fiber)
    connect()
    yield* turns
    assert.deepStrictEqual(releases, ["returned"])
  })
)

it.live("if LISTEN is interrupted while the server does not respond, the session is closed", () =>
  Effect.gen(function* () {
    const { connect, pool, releases } = poolOf(silent, () => {})
    connect()
    const fiber = yield* startListening(pool)
    yield* turns
    assert.isTrue((yield* Effect.timeoutOption(Fiber.interrupt(fiber), "1 second"))._tag === "Some")
    assert.deepStrictEqual(releases, ["ended"])
  })
)

it.live("a session that listened is closed, and a session that cannot listen returns to the pool immediately", () =>
  Effect.gen(function* () {
    const listening = poolOf(answered, () => {})
    listening.connect()
    yield* Effect.scoped(HostPoolListener.openListeningSession(listening.pool))
    assert.deepStrictEqual(listening.releases, ["ended"])
    const deaf = poolOf(answered)
    deaf.connect()
    const fiber = yield* startListening(deaf.pool)
    yield* turns
    assert.deepStrictEqual(deaf.releases, ["returned"])
    yield* Fiber.interrupt(fiber)
    assert.deepStrictEqual(deaf.releases, ["returned"])
  })
)
