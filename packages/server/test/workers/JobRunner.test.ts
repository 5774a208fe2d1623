/** Tests a job runner for one kind of job, with a queue in memory. */
import { assert, it } from "@effect/vitest"
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import * as JobRunner from "@partner-commentary/server/workers/JobRunner"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Runs the jobs until all of them wait. */
const settle = Effect.repeat(Effect.yieldNow, { times: 10 })

const nextSignal = Effect.gen(function* () {
  const wait = yield* (yield* WorkSignal).listen("mails")
  return yield* Effect.forkChild(wait(Duration.infinity), { startImmediately: true })
})

/**
 * Creates a queue of jobs and a runner. Each job runs until the test opens the job's gate. The test records how each
 * job ends.
 */
const queueOf = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const due = [...names]
  const started: Array<string> = []
  const ended: Array<string> = []
  const gates = new Map(names.map((name) => [name, Deferred.makeUnsafe<boolean>()]))
  const gate = (name: string) => gates.get(name) ?? assert.fail(name)
  const runner = yield* JobRunner.make<string>({
    kind: "mails",
    limit: 2,
    claim: JobRunner.makeBatchClaim((free) => Effect.sync(() => due.splice(0, free))),
    run: (name) =>
      Effect.suspend(() => {
        started.push(name)
        return Deferred.await(gate(name))
      }).pipe(
        Effect.tap(Effect.sync(() => ended.push(name))),
        Effect.onInterrupt(() => Effect.sync(() => due.push(name)))
      ),
    nextDue: Effect.sync(() => (due.length > 0 ? Option.some(0) : Option.none())),
    describe: (name) => ({ name })
  })
  const end = (name: string, isMoreDue = true) => Effect.andThen(Deferred.succeed(gate(name), isMoreDue), settle)
  return { due, end, ended, gate, runner, started }
})

it.effect("a poll fills the free slots, and the end of a job signals that a slot is free", () =>
  Effect.gen(function* () {
    const { end, runner, started } = yield* queueOf(["a", "b", "c"])
    const signalled = yield* nextSignal
    assert.strictEqual(yield* runner.poll, 2)
    assert.strictEqual(yield* runner.poll, 0)
    yield* settle
    yield* end("a")
    assert.isDefined(signalled.pollUnsafe())
    assert.strictEqual(yield* runner.poll, 1)
    yield* settle
    assert.deepStrictEqual(started, ["a", "b", "c"])
    assert.strictEqual(yield* runner.inFlight, 2)
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)

it.effect("a job without follow-up work sends a signal at its end if the last poll found no free slot", () =>
  Effect.gen(function* () {
    const { end, runner, started } = yield* queueOf(["a", "b", "c"])
    const signalled = yield* nextSignal
    yield* runner.poll
    yield* settle
    yield* end("a", false)
    assert.isUndefined(signalled.pollUnsafe())
    yield* runner.poll
    assert.strictEqual(yield* runner.poll, 0)
    yield* end("b", false)
    assert.isDefined(signalled.pollUnsafe())
    assert.deepStrictEqual(started, ["a", "b", "c"])
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)

it.effect("a job without follow-up work sends no signal at its end if the last poll found a free slot", () =>
  Effect.gen(function* () {
    const { end, runner } = yield* queueOf(["a"])
    const signalled = yield* nextSignal
    yield* runner.poll
    yield* end("a", false)
    yield* runner.settled
    assert.isUndefined(signalled.pollUnsafe())
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)

it.effect("a job that ends with a defect frees its slot and sends a signal", () =>
  Effect.gen(function* () {
    const { gate, runner } = yield* queueOf(["a", "b", "c"])
    const signalled = yield* nextSignal
    yield* runner.poll
    yield* settle
    yield* Deferred.die(gate("a"), new Error("broken"))
    yield* settle
    assert.isDefined(signalled.pollUnsafe())
    assert.strictEqual(yield* runner.poll, 1)
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)

it.effect("running jobs are released when the scope closes", () =>
  Effect.gen(function* () {
    const { due, ended } = yield* Effect.scoped(
      Effect.tap(queueOf(["a", "b"]), ({ runner }) => Effect.andThen(runner.poll, Effect.yieldNow))
    )
    assert.deepStrictEqual(due.toSorted(), ["a", "b"])
    assert.deepStrictEqual(ended, [])
  }).pipe(Effect.provide(WorkSignal.layerProcess))
)

it.effect("runDue runs due jobs one after another, and runs nothing if no job is due", () =>
  Effect.gen(function* () {
    const { due, end, ended, runner } = yield* queueOf(["a", "b"])
    yield* end("a")
    yield* end("b")
    assert.strictEqual(yield* runner.runDue, 2)
    assert.deepStrictEqual(ended, ["a", "b"])
    assert.deepStrictEqual(due, [])
    assert.strictEqual(yield* runner.runDue, 0)
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)

it.effect("an organization may use at most half of the slots while no other organization uses slots", () =>
  Effect.gen(function* () {
    const [one, other] = ["1", "2"].map((n) => OrganizationId.make(`00000000-0000-4000-8000-00000000000${n}`)) as [
      OrganizationId,
      OrganizationId
    ]
    const free: Array<readonly [boolean, boolean]> = []
    const runner = yield* JobRunner.make<OrganizationId>({
      kind: "assignments",
      limit: 4,
      claim: ({ isFreeFor, start }) =>
        Effect.sync(() => {
          for (let count = 0; count < 3; count++) {
            free.push([isFreeFor(one), isFreeFor(other)])
            start(one)
          }
          return 3
        }),
      run: () => Effect.never,
      owner: (organization) => organization,
      describe: () => ({})
    })
    yield* runner.poll
    assert.deepStrictEqual(free, [
      [true, true],
      [true, true],
      [false, true]
    ])
  }).pipe(Effect.scoped, Effect.provide(WorkSignal.layerProcess))
)
