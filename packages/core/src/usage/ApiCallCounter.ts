/**
 * Counts authenticated API calls and records the last use of each key in memory. Every few seconds and at shutdown, the
 * service persists the counts and times.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { ApiKeyStore } from "../access/ApiKeyStore.ts"
import type { Principal } from "../access/ApiKeys.ts"
import type { ApiKeyId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import { type BillingPeriodName, findBillingPeriod } from "./BillingPeriod.ts"
import { type ApiCallCount, UsageStore } from "./UsageStore.ts"

export class ApiCallCounter extends Context.Service<
  ApiCallCounter,
  {
    readonly count: (principal: Principal) => Effect.Effect<void>
    /** Counts a call like `count`, but synchronously instead of as an effect. */
    readonly countNow: (principal: Principal) => void
    /** Returns the number of calls that this process has counted but not yet persisted. */
    readonly unwritten: (owner: Owner, period: BillingPeriodName) => number
    /** Persists the counters. If a write fails, the counters stay in memory and the write is retried later. */
    readonly flush: Effect.Effect<void>
  }
>()("@partner-commentary/core/usage/ApiCallCounter") {
  static readonly layer = Layer.effect(
    ApiCallCounter,
    Effect.gen(function* () {
      const usage = yield* UsageStore
      const keys = yield* ApiKeyStore
      const clock = yield* Clock.Clock
      const calls = makeTally()
      const uses = new Map<ApiKeyId, Instant>()

      /**
       * The counters with a write in progress. A write can wait long for a locked row, and a second write to that row
       * would occupy another database connection.
       */
      const beingWritten = new Set<string>()
      const add = (one: ApiCallCount) =>
        usage.addCalls(one).pipe(
          Effect.tapCause(() => Effect.sync(() => calls.add(one))),
          Effect.ensuring(Effect.sync(() => beingWritten.delete(keyOf(one.owner, one.period))))
        )

      /**
       * Writes the counters to the database. If the write fails, the counters and the times of last use are kept in
       * memory, and newer times are not overwritten.
       */
      const write = Effect.fnUntraced(function* (isFree: (key: string) => boolean) {
        const counted = calls.take(isFree)
        for (const { owner, period } of counted) beingWritten.add(keyOf(owner, period))
        const used = [...uses].map(([id, at]) => ({ id, at }))
        uses.clear()
        const putBackUses = Effect.sync(() => {
          for (const { at, id } of used) if (!uses.has(id)) uses.set(id, at)
        })
        const added = yield* Effect.forEach(counted, (one) => Effect.exit(add(one)), { concurrency })
        const marked = used.length > 0 ? keys.markUsed(used) : Effect.void
        yield* Effect.tapCause(Effect.andThen(Exit.asVoidAll(added), marked), () => putBackUses)
      }, Effect.uninterruptible)

      yield* Effect.addFinalizer(() =>
        Effect.catchCause(
          write(() => true),
          (cause) => {
            const lost = calls.take(() => true).reduce((sum, { calls: more }) => sum + more, 0)
            return Effect.logError(
              lost === 0
                ? "Failed to persist the last uses of keys before shutdown"
                : `${lost} counted calls are lost: they could not be persisted before shutdown`,
              cause
            )
          }
        )
      )
      // The write of the counters serves all organizations, so it does not run in the context of one request.
      const start = yield* FiberSet.runtime(yield* FiberSet.make())()
      let isScheduled = false
      /** Starts the timer for the next write. The timer runs only while unpersisted counters exist. */
      const schedule = (): void => {
        if (isScheduled) return
        isScheduled = true
        const later = Effect.andThen(
          Effect.sleep(interval),
          Effect.suspend(() => {
            isScheduled = false
            return flush
          })
        )
        start(later)
      }

      const flush = Effect.matchCauseEffect(
        write((key) => !beingWritten.has(key)),
        {
          onSuccess: () => (calls.isEmpty() ? Effect.void : Effect.sync(schedule)),
          onFailure: (cause) =>
            Effect.andThen(Effect.logWarning("Failed to persist API usage; will retry", cause), Effect.sync(schedule))
        }
      )

      const countNow = ({ environment, key, organization }: Principal): void => {
        const now = clock.currentTimeMillisUnsafe()
        uses.set(key.id, now)
        calls.add({ owner: { organizationId: organization.id, environment }, period: findBillingPeriod(now), calls: 1 })
        schedule()
      }

      return ApiCallCounter.of({
        count: (principal) => Effect.sync(() => countNow(principal)),
        countNow,
        unwritten: calls.of,
        flush
      })
    })
  )
}

/**
 * The interval between writes of the counters. Calls of other processes therefore appear in reported usage about five
 * seconds later.
 */
const interval = "4 seconds"

/**
 * The number of concurrent writes. Each organization's calls are written in a separate transaction, so that one locked
 * row does not delay all organizations.
 */
const concurrency = 4

const keyOf = ({ environment, organizationId }: Owner, period: BillingPeriodName) =>
  `${organizationId} ${environment} ${period}`

const makeTally = () => {
  const tally = new Map<string, { readonly owner: Owner; readonly period: BillingPeriodName; calls: number }>()
  return {
    add: ({ calls, owner, period }: ApiCallCount) => {
      const key = keyOf(owner, period)
      const present = tally.get(key)
      if (present === undefined) tally.set(key, { owner, period, calls })
      else present.calls += calls
    },
    of: (owner: Owner, period: BillingPeriodName) => tally.get(keyOf(owner, period))?.calls ?? 0,
    isEmpty: () => tally.size === 0,
    take: (isTaken: (key: string) => boolean): ReadonlyArray<ApiCallCount> => {
      const taken = [...tally].filter(([key]) => isTaken(key))
      for (const [key] of taken) tally.delete(key)
      return taken.map(([, count]) => count)
    }
  }
}
