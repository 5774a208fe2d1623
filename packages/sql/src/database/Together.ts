/**
 * Calls that go together: those that come while some are under way wait, and go as one as soon as these are answered. A call that
 * comes alone goes at once. How many are asked for at once, and what came of each, is for whoever makes it. Nobody waits for ever: not for
 * what is under way, nor behind it.
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

export interface Shape<Call> {
  /** So many go together at most. */
  readonly most: number
  /** Only calls of one lane go together, and lanes do not wait for each other. All are of one unless told. */
  readonly laneOf?: (call: Call) => string
  /** How long what is under way may take, a little longer than a database gives a statement unless told; who waited for half of it is not asked for. */
  readonly patience?: Duration.Input
}

/** It is a server that may keep us waiting: whatever clock others live by. */
const clock = Clock.Clock.defaultValue()

/**
 * `ask` answers every call in its place, and fails for all of them alike. It is of no caller's: in none of their transactions, and it
 * goes on when they do not wait for it any more. Who leaves before is not asked for.
 */
export const make = Effect.fnUntraced(function* <Call, Answer, E = never>(
  ask: (calls: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<Exit.Exit<Answer, E>>>,
  { laneOf = () => "", most, patience = "35 seconds" }: Shape<Call>
) {
  const longest = Duration.fromInputUnsafe(patience)
  const tooLong = Effect.andThen(clock.sleep(longest), late)
  const start = yield* FiberSet.runtime(yield* FiberSet.make())()
  /** By lane, who waits behind what is under way. */
  const lanes = new Map<string, Array<Waiting<Call, Answer, E>>>()

  const settle = (
    calls: ReadonlyArray<Waiting<Call, Answer, E>>,
    exit: Exit.Exit<ReadonlyArray<Exit.Exit<Answer, E>>>
  ) =>
    calls.forEach(({ answered }, index) => {
      Deferred.doneUnsafe(answered, Exit.isSuccess(exit) ? (exit.value[index] ?? missing) : Exit.failCause(exit.cause))
    })

  /** The next ones are on their way before anybody goes on with an answer. */
  const go = (lane: string, waiting: Array<Waiting<Call, Answer, E>>): void => {
    const patient = clock.monotonicTimeNanosUnsafe() - Duration.toNanosUnsafe(longest) / 2n
    const impatient = waiting.findIndex(({ since }) => since >= patient)
    settle(waiting.splice(0, impatient < 0 ? waiting.length : impatient), late)
    const calls = waiting.splice(0, most)
    if (calls.length === 0) return void lanes.delete(lane)
    const asked = Effect.suspend(() => ask(calls.map(({ call }) => call)))
    start(Effect.raceFirst(asked, tooLong)).addObserver((exit) => {
      go(lane, waiting)
      settle(calls, exit)
    })
  }

  return (call: Call): Effect.Effect<Answer, E> =>
    Effect.suspend(() => {
      const lane = laneOf(call)
      const one = { call, answered: Deferred.makeUnsafe<Answer, E>(), since: clock.monotonicTimeNanosUnsafe() }
      const waiting = lanes.get(lane) ?? []
      waiting.push(one)
      if (!lanes.has(lane)) {
        lanes.set(lane, waiting)
        go(lane, waiting)
      }
      const leave = Effect.sync(() => {
        const place = waiting.indexOf(one)
        if (place >= 0) waiting.splice(place, 1)
      })
      return Effect.onInterrupt(Deferred.await(one.answered), () => leave)
    })
})

const late = Exit.die(new Error("What went together was not answered in time"))
const missing = Exit.die(new Error("Of calls that went together, one was not answered"))
