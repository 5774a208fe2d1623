/**
 * Counts calls in rate windows that all nodes of a Postgres database share. Calls that arrive while a statement runs
 * share the next statement. After the database has refused a call, the node refuses further calls in the full window
 * without an SQL statement.
 */
import type {
  RateLimitDecision,
  RateWindowLimit,
  RateWindowUsage
} from "@partner-commentary/core/access/FixedWindowRateLimiter"
import * as FullRateWindowCache from "@partner-commentary/core/access/FullRateWindowCache"
import { RateWindows } from "@partner-commentary/core/access/RateWindows"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as BatchLoader from "../database/BatchLoader.ts"
import { forUpdateSkipLocked, limitClause } from "../database/Clauses.ts"
import { toPostgresArray } from "../database/Columns.ts"
import { mayBeOfOneCall } from "../database/DatabaseFault.ts"

interface Call {
  readonly at: Instant.Instant
  readonly windows: ReadonlyArray<RateWindowLimit>
}

interface Row {
  readonly is_admitted: number
  readonly counted: number
  readonly until_at: number
}

export const layer = Layer.effect(
  RateWindows,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const start = yield* FiberSet.runtime(yield* FiberSet.make())()
    const full = FullRateWindowCache.make(remembered)
    let lookedAt = 0

    const countTogether = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
      const { lengths, limits, names, numbers, places } = toStatementArrays(calls)
      const now = Math.max(...calls.map(({ at }) => at))
      const rows = yield* sql<Row>`SELECT is_admitted, counted, CAST(until_at AS DOUBLE PRECISION) AS until_at
        FROM take_rate_windows(CAST(${String(now)} AS BIGINT),
        CAST(${toPostgresArray(names)} AS TEXT[]), CAST(${toPostgresArray(lengths)} AS INTEGER[]), CAST(${toPostgresArray(numbers)} AS INTEGER[]),
        CAST(${toPostgresArray(places)} AS INTEGER[]), CAST(${toPostgresArray(limits)} AS INTEGER[]))`
      let answered = 0
      return calls.map(({ windows }) => {
        const own = rows.slice(answered, answered + windows.length)
        answered += windows.length
        const states = windows.map((window, index) => state(window, own[index]))
        const admitted = own.every(({ is_admitted }) => is_admitted === 1)
        if (!admitted) full.note(windows, states)
        return Exit.succeed<RateLimitDecision>({ admitted, states })
      })
    })
    /** If a batch fails, each call runs alone, so that only the invalid call fails. A failed statement counts no call. */
    const ask = (calls: ReadonlyArray<Call>): Effect.Effect<ReadonlyArray<Exit.Exit<RateLimitDecision>>> =>
      Effect.catch(countTogether(calls), (error) =>
        calls.length > 1 && mayBeOfOneCall(error)
          ? Effect.map(
              Effect.forEach(calls, (call) => ask([call])),
              (exits) => exits.flat()
            )
          : Effect.succeed(calls.map(() => Exit.die(error)))
      )
    const count = yield* BatchLoader.make(ask, { limit: maxBatch })

    /**
     * Deletes old windows in the background, so that no call waits for the deletion. The DELETE statement skips locked
     * rows, which a later clean-up deletes.
     */
    const letGo = (now: Instant.Instant) =>
      Effect.ignoreCause(
        sql`DELETE FROM rate_windows WHERE (name, seconds) IN (
            SELECT name, seconds FROM rate_windows WHERE ends_at < CAST(${String(now - kept)} AS BIGINT)
            ORDER BY ends_at ${limitClause(sql, few)} ${forUpdateSkipLocked(sql)})`,
        { log: "Warn", message: "Failed to delete old rate windows; will retry" }
      )

    return RateWindows.of({
      take: Effect.fnUntraced(function* (windows) {
        const at = yield* Instant.now
        const refused = full.refuse(windows, at)
        if (refused !== undefined) return refused
        const taken = yield* count({ at, windows })
        if (Math.abs(at - lookedAt) > lookEvery) {
          lookedAt = at
          start(letGo(at))
        }
        return taken
      })
    })
  })
)

/**
 * The maximum number of full windows in the cache. The cache must have room for all callers that exhaust their limits
 * at the same time.
 */
const remembered = 10_000

/** The maximum number of calls in one statement. */
const maxBatch = 200

/**
 * The time in milliseconds for which the database keeps an ended window. `lookEvery` is the interval in milliseconds at
 * which an active node deletes ended windows.
 */
const kept = 3_600_000
const lookEvery = 60_000
/** The maximum number of windows that one statement deletes. */
const few = 1000

/**
 * Returns the arrays that the counting statement needs. The window arrays contain each window once, sorted by key, so
 * that all nodes lock the windows in the same order. The call arrays contain one entry for each window of each call:
 * the index of the call, the position of the window in the window arrays, and the limit.
 */
const toStatementArrays = (calls: ReadonlyArray<Call>) => {
  const windows = new Map(calls.flatMap(({ windows }) => windows.map((window) => [keyOf(window), window] as const)))
  const keys = [...windows.keys()].toSorted()
  const places = new Map(keys.map((key, index) => [key, index + 1]))
  const rows = calls.flatMap(({ windows }, call) => windows.map((window) => ({ call, window })))
  return {
    names: keys.map((key) => windows.get(key)?.name ?? ""),
    lengths: keys.map((key) => windows.get(key)?.seconds ?? 0),
    numbers: rows.map(({ call }) => call),
    places: rows.map(({ window }) => places.get(keyOf(window)) ?? 0),
    limits: rows.map(({ window }) => toInteger(window.limit))
  }
}

/** Limits of a host's own organizations are not checked. A limit outside of Postgres' INTEGER would fail the batch. */
const toInteger = (limit: number) => Math.min(Math.max(0, Math.ceil(limit)), 2 ** 31 - 1)

const keyOf = ({ name, seconds }: RateWindowLimit): string => `${name} ${seconds}`

const state = ({ limit }: RateWindowLimit, row: Row | undefined): RateWindowUsage => ({
  limit,
  remaining: Math.max(0, limit - (row?.counted ?? 0)),
  resetsAt: row?.until_at ?? 0
})
