import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import { make, maxTaskDelayMs, turnBudgetMs } from "../../src/middleware/FairScheduler.ts"

/** Simulates an event loop and a clock that the test controls. */
const eventLoop = () => {
  let now = 0
  let immediates: Array<() => void> = []
  const fair = make({
    now: () => now,
    next: (run) => void immediates.push(run)
  })
  return {
    ...fair,
    takes: (milliseconds: number) => {
      now += milliseconds
    },
    turn: () => {
      const due = immediates
      immediates = []
      for (const run of due) run()
    },
    isIdle: () => immediates.length === 0
  }
}

describe("Fair scheduler", () => {
  it("the fair scheduler runs only one long task in a turn, even if many tasks wait", () => {
    const { isIdle, run, takes, turn } = eventLoop()
    const began: Array<string> = []
    for (let each = 0; each < 5; each++) {
      run("attacker", () => {
        takes(turnBudgetMs)
        began.push("attacker")
      })
    }
    for (let turns = 1; turns <= 5; turns++) {
      turn()
      assert.strictEqual(began.length, turns)
    }
    turn()
    assert.isTrue(isIdle())
  })

  it("the fair scheduler lets a turn last as long as its tasks have waited, up to a maximum", () => {
    const { run, takes, turn } = eventLoop()
    let done = 0
    const task = () => {
      takes(turnBudgetMs)
      done++
    }
    takes(10 * maxTaskDelayMs)
    for (let each = 0; each < 100; each++) run("a caller", task)
    for (const [other, expected] of [
      [0, 1],
      [3 * turnBudgetMs, 3],
      [10 * maxTaskDelayMs, Math.ceil(maxTaskDelayMs / turnBudgetMs)]
    ] as const) {
      done = 0
      takes(other)
      turn()
      assert.strictEqual(done, expected)
    }
  })

  it("the fair scheduler serves keys round-robin with one task each", () => {
    const { run, takes, turn } = eventLoop()
    const began: Array<string> = []
    const task = (key: string) =>
      run(key, () => {
        takes(turnBudgetMs)
        began.push(key)
      })
    for (let each = 0; each < 100; each++) task("attacker")
    turn()
    task("victim")
    task("victim")
    for (let turns = 0; turns < 4; turns++) turn()
    assert.deepStrictEqual(began, ["attacker", "attacker", "victim", "attacker", "victim"])
  })

  it("the fair scheduler runs several short tasks in one turn", () => {
    const { run, turn } = eventLoop()
    let done = 0
    for (let each = 0; each < 100; each++) run(`caller ${each % 3}`, () => void done++)
    turn()
    assert.strictEqual(done, 100)
  })

  it("the fair scheduler starts short tasks immediately while no other task waits", () => {
    const { isIdle, start, takes, turn } = eventLoop()
    let done = 0
    for (let each = 0; each < 2; each++) {
      for (let task = 0; task < 4; task++) {
        start(
          () => "a caller",
          () => {
            takes(turnBudgetMs / 4)
            done++
          }
        )
      }
      assert.strictEqual(done, 4 * (each + 1))
      turn()
      assert.isTrue(isIdle())
    }
  })

  it("the fair scheduler queues a task by its key when the time of the turn is used up", () => {
    const { run, start, takes, turn } = eventLoop()
    const began: Array<string> = []
    const task = (key: string) =>
      start(
        () => key,
        () => {
          takes(turnBudgetMs)
          began.push(key)
        }
      )
    for (let each = 0; each < 3; each++) task("attacker")
    task("victim")
    assert.deepStrictEqual(began, ["attacker"])
    turn()
    turn()
    assert.deepStrictEqual(began, ["attacker", "attacker", "victim"])
    turn()
    turn()
    run("waiting", () => void began.push("waiting"))
    task("attacker")
    assert.strictEqual(began.length, 4)
  })

  it("the fair scheduler's `hasTime` returns false while a queued task runs and after a connection has arrived", () => {
    const { connected, hasTime, run, turn } = eventLoop()
    let hadTime = true
    run("a caller", () => {
      hadTime = hasTime()
    })
    turn()
    assert.isFalse(hadTime)
    assert.isTrue(hasTime())
    connected()
    assert.isFalse(hasTime())
  })

  it("the fair scheduler delays tasks while new connections arrive, up to a time limit", () => {
    const { connected, run, takes, turn } = eventLoop()
    takes(1000)
    let done = 0
    run("a caller", () => void done++)
    turn()
    assert.strictEqual(done, 1)
    for (let each = 0; each < 3; each++) {
      run("a caller", () => {
        takes(turnBudgetMs)
        done++
      })
    }
    for (let waited = 0; waited < maxTaskDelayMs; waited++) {
      connected()
      turn()
      assert.strictEqual(done, 1)
      takes(1)
    }
    connected()
    turn()
    // Accepted connections are no other events, so the tasks get no additional time in this turn.
    assert.strictEqual(done, 2)
  })

  it("the fair scheduler runs waiting tasks as soon as no further connection arrives", () => {
    const { connected, run, turn } = eventLoop()
    let done = 0
    run("a caller", () => void done++)
    connected()
    turn()
    assert.strictEqual(done, 0)
    turn()
    assert.strictEqual(done, 1)
  })

  it("the fair scheduler delays at most four tasks to the end of a turn, and none while tasks are queued", () => {
    const { hasTime, run, runAtEndOfTurn, turn } = eventLoop()
    const ran: Array<number> = []
    const later = (number: number) => runAtEndOfTurn(() => void ran.push(number))
    later(1)
    assert.deepStrictEqual(ran, [1], "hasTime has not been called in this turn")
    assert.isTrue(hasTime())
    for (const number of [2, 3, 4]) later(number)
    assert.deepStrictEqual(ran, [1])
    later(5)
    assert.deepStrictEqual(ran, [1, 2, 3, 4, 5])
    later(6)
    turn()
    assert.deepStrictEqual(ran, [1, 2, 3, 4, 5, 6])
    assert.isTrue(hasTime())
    run("a caller", () => later(8))
    later(7)
    assert.deepStrictEqual(ran, [1, 2, 3, 4, 5, 6, 7], "a task waits")
    turn()
    assert.deepStrictEqual(ran, [1, 2, 3, 4, 5, 6, 7, 8])
  })

  it("the fair scheduler resumes a yielded fiber in the turn of the fiber's key", () => {
    const { of, run, takes, turn } = eventLoop()
    const steps: Array<string> = []
    const heavy = Effect.forEach([1, 2, 3], (step) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => {
          takes(turnBudgetMs)
          steps.push(`step ${step}`)
        })
      )
    )
    const fiber = Effect.runFork(Effect.provideService(heavy, Scheduler.Scheduler, of("attacker")))
    turn()
    run("victim", () => void steps.push("victim"))
    for (let turns = 0; turns < 4; turns++) turn()
    assert.deepStrictEqual(steps, ["step 1", "step 2", "victim", "step 3"])
    assert.isDefined(fiber.pollUnsafe())
    return Effect.runPromise(Fiber.join(fiber))
  })

  it("the fair scheduler resumes a fiber with a priority before the other tasks of the fiber's key", () => {
    const { of, run, takes, turn } = eventLoop()
    const steps: Array<string> = []
    const task = (key: string, name: string) =>
      run(key, () => {
        takes(turnBudgetMs)
        steps.push(name)
      })
    task("attacker", "first")
    task("attacker", "second")
    task("victim", "victim")
    turn()
    const urgent = Effect.andThen(
      Effect.yieldNowWith(1),
      Effect.sync(() => {
        takes(turnBudgetMs)
        steps.push("urgent")
      })
    )
    Effect.runFork(Effect.provideService(urgent, Scheduler.Scheduler, of("attacker")))
    for (let turns = 0; turns < 3; turns++) turn()
    assert.deepStrictEqual(steps, ["first", "victim", "urgent", "second"])
  })

  it("the fair scheduler runs no further work of an interrupted fiber", async () => {
    const { of, turn } = eventLoop()
    let worked = false
    const heavy = Effect.andThen(
      Effect.yieldNow,
      Effect.sync(() => {
        worked = true
      })
    )
    const fiber = Effect.runFork(Effect.provideService(heavy, Scheduler.Scheduler, of("gone")))
    fiber.interruptUnsafe()
    turn()
    await Effect.runPromise(Fiber.await(fiber))
    assert.isFalse(worked)
  })
})
