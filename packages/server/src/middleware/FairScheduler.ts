/**
 * Shares the turns of the event loop fairly among callers. Each key has a queue of tasks, and the scheduler serves the
 * keys round-robin. One turn runs tasks for a few milliseconds, so that Node reads sockets between the turns. A task
 * starts immediately if no other task waits and the current turn has time left. While connections arrive, some turns
 * run no tasks, because Node accepts only one connection in each turn.
 */
import { concurrencyPoolLimits } from "@partner-commentary/core/access/ConcurrencyLimit"
import * as RoundRobinQueue from "@partner-commentary/core/shared/RoundRobinQueue"
import * as Context from "effect/Context"
import type * as Scheduler from "effect/Scheduler"
import * as VerifiedCredentials from "./VerifiedCredentials.ts"

export interface FairScheduler extends VerifiedCredentials.VerifiedCredentials {
  /** Adds the task to the queue of the given key. */
  readonly run: (key: string, task: () => void) => void
  /** Runs the task now if `hasTime` returns true, and otherwise queues the task with the key that `keyOf` returns. */
  readonly start: (keyOf: () => string, task: () => void) => void
  /** Returns whether a task may start now: no task waits, and the current turn of the event loop has time left. */
  readonly hasTime: () => boolean
  /**
   * Runs the task at the end of the current turn of the event loop, or earlier, as soon as four tasks wait for this
   * end. Runs the task immediately if `hasTime` has not yet returned true in this turn, or if queued tasks wait for a
   * turn.
   */
  readonly runAtEndOfTurn: (task: () => void) => void
  /**
   * Returns the Effect scheduler for a key. All fibers that work for the same key share the scheduler. When a fiber
   * resumes after a yield, the scheduler queues a task. Tasks with a priority above 0 go before the key's other tasks.
   */
  readonly of: (key: string) => Scheduler.Scheduler
  /** Tells the scheduler that the server has accepted a connection, because more connections may be waiting. */
  readonly connected: () => void
}

export interface EventLoopHooks {
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now: () => number
  /** Runs the function in the next turn of the event loop. */
  readonly next: (run: () => void) => void
  /**
   * Runs the function in the current turn of the event loop, after the events that the last task caused. For example,
   * if the last task ended a response, the response's permit is released before `run` is called. By default, the
   * function runs immediately.
   */
  readonly soon?: (run: () => void) => void
}

/**
 * The time in milliseconds after which a turn of the event loop starts no further task. If tasks have waited longer
 * than `turnBudgetMs` for the turn, the turn may last as long as the wait, up to `maxTaskDelayMs`.
 */
export const turnBudgetMs = 4

/**
 * The maximum delay of tasks while connections arrive, and the maximum time for the tasks of a turn, in milliseconds.
 */
export const maxTaskDelayMs = 50

/**
 * The maximum number of tasks that wait for the end of a turn. A response keeps its permit until the response is
 * written, so more waiting responses would delay the organization's next request.
 */
const maxTasksAtEndOfTurn = concurrencyPoolLimits.standard.each

/** The scheduler of the server. By default the value is undefined, and request fibers use the host's scheduler. */
export const CurrentFairScheduler = Context.Reference<FairScheduler | undefined>(
  "@partner-commentary/reference/FairScheduler",
  { defaultValue: () => undefined }
)

export const make = ({ next, now, soon = (run) => run() }: EventLoopHooks): FairScheduler => {
  const waiting = RoundRobinQueue.make<() => void>()
  let isScheduled = false
  let isRunning = false
  let isAccepting = false
  let lastTask = 0
  /** The time since which the queued tasks wait for the next turn of the event loop. */
  let waitingFrom = 0

  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    next(turn)
  }

  const turn = () => {
    isScheduled = false
    if (waiting.size() === 0) return
    // Schedule the next turn first, so that a task that throws does not stop the other tasks.
    schedule()
    const began = now()
    if (isAccepting && began - lastTask < maxTaskDelayMs) {
      isAccepting = false
      waitingFrom = began
      return
    }
    isRunning = true
    runUntil(began + Math.min(Math.max(began - waitingFrom, turnBudgetMs), maxTaskDelayMs))
  }

  const runUntil = (end: number): void => {
    waiting.shift()?.()
    lastTask = now()
    waitingFrom = lastTask
    isRunning = waiting.size() > 0 && lastTask < end
    if (isRunning) soon(() => runUntil(end))
  }

  const add = (push: typeof waiting.push, key: string, task: () => void) => {
    if (waiting.size() === 0) waitingFrom = now()
    push(key, task)
    schedule()
  }
  const run: FairScheduler["run"] = (key, task) => add(waiting.push, key, task)

  /**
   * True once `hasTime` has been called in this turn of the event loop. The first call of `hasTime` in a turn starts
   * the measurement of the turn's time.
   */
  let isMeasured = false
  let measuredFrom = 0
  const atEndOfTurn: Array<() => void> = []
  const runTasksAtEndOfTurn = () => {
    while (atEndOfTurn.length > 0) atEndOfTurn.shift()?.()
  }
  const endTurn = () => {
    isMeasured = false
    runTasksAtEndOfTurn()
  }
  const hasTime = () => {
    if (isAccepting || isRunning || waiting.size() > 0) return false
    lastTask = now()
    if (isMeasured) return lastTask - measuredFrom < turnBudgetMs
    isMeasured = true
    measuredFrom = lastTask
    next(endTurn)
    return true
  }

  return {
    ...VerifiedCredentials.make(now),
    run,
    start: (keyOf, task) => {
      if (hasTime()) task()
      else run(keyOf(), task)
    },
    hasTime,
    runAtEndOfTurn: (task) => {
      if (!isMeasured || isRunning || waiting.size() > 0) return task()
      if (atEndOfTurn.push(task) === maxTasksAtEndOfTurn) runTasksAtEndOfTurn()
    },
    of: (key) => {
      const scheduleTask = (task: () => void, priority: number) =>
        add(priority > 0 ? waiting.pushFirst : waiting.push, key, task)
      const dispatcher = { scheduleTask, flush: () => {} }
      return {
        executionMode: "async",
        shouldYield: (fiber) => fiber.currentOpCount >= fiber.cache.maxOpsBeforeYield,
        makeDispatcher: () => dispatcher
      }
    },
    connected: () => {
      isAccepting = true
    }
  }
}
