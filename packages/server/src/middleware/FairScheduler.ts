/**
 * Shares the turns of the event loop among the callers. Tasks wait in a queue for each key, and keys are served in rotation. One turn
 * runs tasks for a few milliseconds, so that sockets are read and connections accepted in between. Node accepts one connection a
 * turn: while connections arrive, turns without tasks let the others in.
 */
import * as Context from "effect/Context"
import type * as Scheduler from "effect/Scheduler"
import * as AcceptedCredentials from "./AcceptedCredentials.ts"

export interface FairScheduler extends AcceptedCredentials.AcceptedCredentials {
  /** Runs the task in the turn of its key. */
  readonly run: (key: string, task: () => void) => void
  /** For the fibers of a key: what a fiber does after it yielded is a task. */
  readonly of: (key: string) => Scheduler.Scheduler
  /** A connection was accepted: others may wait behind it. */
  readonly connected: () => void
}

export interface Turns {
  /** Milliseconds of a clock that is never put back. */
  readonly now: () => number
  /** Runs the function in the next turn of the event loop. */
  readonly next: (run: () => void) => void
}

/** A turn begins no task after so many milliseconds. */
export const budget = 4

/** Milliseconds for which tasks wait at most while connections arrive. */
export const patience = 10

/** None: the fibers of all requests share the scheduler of their host. */
export const CurrentFairScheduler = Context.Reference<FairScheduler | undefined>(
  "@partner-commentary/server/middleware/FairScheduler",
  { defaultValue: () => undefined }
)

export const make = ({ next, now }: Turns): FairScheduler => {
  /** The key whose turn is next comes first. */
  const queues = new Map<string, Array<() => void>>()
  let isScheduled = false
  let isAccepting = false
  let lastTask = 0

  const schedule = () => {
    if (isScheduled) return
    isScheduled = true
    next(turn)
  }

  const runFirst = () => {
    for (const [key, tasks] of queues) {
      queues.delete(key)
      const task = tasks.shift()
      if (tasks.length > 0) queues.set(key, tasks)
      return task?.()
    }
  }

  const turn = () => {
    isScheduled = false
    if (queues.size === 0) return
    // Before the tasks: one that throws must not keep the others waiting.
    schedule()
    const began = now()
    if (isAccepting && began - lastTask < patience) {
      isAccepting = false
      return
    }
    do {
      runFirst()
      lastTask = now()
    } while (queues.size > 0 && lastTask - began < budget)
  }

  const run: FairScheduler["run"] = (key, task) => {
    const tasks = queues.get(key)
    if (tasks === undefined) queues.set(key, [task])
    else tasks.push(task)
    schedule()
  }

  return {
    ...AcceptedCredentials.make(now),
    run,
    of: (key) => {
      const dispatcher = { scheduleTask: (task: () => void) => run(key, task), flush: () => {} }
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
