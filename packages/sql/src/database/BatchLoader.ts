/**
 * Batches calls without a delay. If no batch of the call's key is running, the call starts a batch immediately. While a
 * batch of the call's key is running, the call waits for the next batch of the key. A call fails if the call waits too
 * long or if its batch exceeds the timeout.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"

interface Waiting<Call, Answer, E> {
  readonly call: Call
  readonly answered: Deferred.Deferred<Answer, E>
  readonly since: bigint
}

export interface BatchLoaderOptions<Call> {
  /** The maximum number of calls in a batch. */
  readonly limit: number
  /**
   * Returns the key of a call. A batch contains calls of one key only, and batches of different keys run concurrently.
   * By default all calls have the same key.
   */
  readonly keyOf?: (call: Call) => string
  /**
   * A batch fails when the batch runs longer than the timeout. The default timeout exceeds the database's statement
   * timeout. A call fails after waiting in the queue for half of the timeout.
   */
  readonly timeout?: Duration.Input
}

/** The loader uses the real clock even in tests with a test clock, because the database server uses real time. */
const clock = Clock.Clock.defaultValue()

/**
 * `loadBatch` returns one exit for each call, in the order of the calls. A failure of `loadBatch` fails all calls of
 * the batch. `loadBatch` runs outside of the callers' transactions. If a caller is interrupted, its waiting call leaves
 * the queue, but a running `loadBatch` continues.
 */
export const make = Effect.fnUntraced(function* <Call, Answer, E = never>(
  loadBatch: (calls: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<Exit.Exit<Answer, E>>>,
  { keyOf = () => "", limit, timeout = "35 seconds" }: BatchLoaderOptions<Call>
) {
  const longest = Duration.fromInputUnsafe(timeout)
  const start = yield* FiberSet.runtime(yield* FiberSet.make())()
  /** Calls that wait until the running batch ends, grouped by key. */
  const queues = new Map<string, Array<Waiting<Call, Answer, E>>>()

  const settle = (
    calls: ReadonlyArray<Waiting<Call, Answer, E>>,
    exit: Exit.Exit<ReadonlyArray<Exit.Exit<Answer, E>>>
  ) =>
    calls.forEach(({ answered }, index) => {
      Deferred.doneUnsafe(answered, Exit.isSuccess(exit) ? (exit.value[index] ?? missing) : Exit.failCause(exit.cause))
    })

  /** Starts the next batch before the callers of the last batch resume. */
  const go = (key: string, waiting: Array<Waiting<Call, Answer, E>>): void => {
    const earliest = clock.monotonicTimeNanosUnsafe() - Duration.toNanosUnsafe(longest) / 2n
    const firstInTime = waiting.findIndex(({ since }) => since >= earliest)
    settle(waiting.splice(0, firstInTime < 0 ? waiting.length : firstInTime), late)
    const calls = waiting.splice(0, limit)
    if (calls.length === 0) return void queues.delete(key)
    const running = start(Effect.suspend(() => loadBatch(calls.map(({ call }) => call))))
    let isEnded = false
    const end = (exit: Parameters<typeof settle>[1]) => {
      if (isEnded) return
      isEnded = true
      // The loader does not wait until the batch is interrupted, because a statement on a silent connection cannot be
      // interrupted.
      clearTimeout(timer)
      running.interruptUnsafe()
      go(key, waiting)
      settle(calls, exit)
    }
    const timer = setTimeout(() => end(late), Duration.toMillis(longest))
    running.addObserver(end)
  }

  return (call: Call): Effect.Effect<Answer, E> =>
    Effect.suspend(() => {
      const key = keyOf(call)
      const one = { call, answered: Deferred.makeUnsafe<Answer, E>(), since: clock.monotonicTimeNanosUnsafe() }
      const waiting = queues.get(key) ?? []
      waiting.push(one)
      if (!queues.has(key)) {
        queues.set(key, waiting)
        go(key, waiting)
      }
      const leave = Effect.sync(() => {
        const place = waiting.indexOf(one)
        if (place >= 0) waiting.splice(place, 1)
      })
      return Effect.onInterrupt(Deferred.await(one.answered), () => leave)
    })
})

const late = Exit.die(new Error("The batch exceeded its timeout"))
const missing = Exit.die(new Error("The batch has no result for one of its calls"))
