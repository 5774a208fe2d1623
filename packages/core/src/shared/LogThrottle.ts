/**
 * Limits log lines during an outage. The first line of each kind is logged immediately, with the cause and a short
 * stack. Once a second, a summary reports how many more lines of that kind there were. If no line of a kind occurs for
 * a second, the next line of this kind is logged immediately.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as References from "effect/References"
import { formatErrorWithCauses } from "./Reason.ts"

const Repeats = Context.Reference("@partner-commentary/reference/Repeats", { defaultValue: () => false })

/**
 * Marks log lines without a cause as repeating, so that such lines are throttled. Mark lines that an outage would
 * repeat for every job. Lines with a cause are always throttled.
 */
export const markLogsAsRepeating: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> =
  Effect.provideService(Repeats, true)

const period = "1 second"

/**
 * The maximum number of kinds of log lines. When `maxKinds` kinds exist, new lines with the same message share one
 * kind.
 */
const maxKinds = 200

const framesShown = 4
const causesShown = 3

interface Line {
  readonly level: LogLevel.LogLevel
  readonly message: unknown
  readonly reason: string
  readonly annotations: Readonly<Record<string, unknown>>
}

interface Pending {
  count: number
  last: Line
}

/** Throttles the loggers that are active when this layer is built. */
export const layer = Layer.effect(
  Logger.CurrentLoggers,
  Effect.gen(function* () {
    const loggers = yield* Logger.CurrentLoggers
    const start = yield* FiberSet.runtime(yield* FiberSet.make())()
    const kinds = new Map<string, Pending>()
    // Effect runs finalizers in reverse order, so this finalizer writes the last summaries before the waiting fibers
    // are interrupted.
    yield* Effect.addFinalizer(() => Effect.forEach(kinds.values(), summarize, { discard: true }))

    const watch = (kind: string, pending: Pending): Effect.Effect<void> =>
      Effect.flatMap(Effect.sleep(period), () => {
        if (pending.count === 0) return Effect.sync(() => void kinds.delete(kind))
        return Effect.andThen(summarize(pending), watch(kind, pending))
      })

    const throttled = Logger.make<unknown, void>((options) => {
      const write = (line: Logger.Options<unknown>) => loggers.forEach((logger) => void logger.log(line))
      if (!isThrottled(options)) return write(options)
      const line = lineOf(options)
      const kind = kindOf(line, kinds)
      const pending = kinds.get(kind)
      if (pending !== undefined) {
        pending.count++
        pending.last = line
        return
      }
      const first = { count: 0, last: line }
      kinds.set(kind, first)
      write({ ...options, cause: short(options.cause) })
      start(watch(kind, first))
    })
    return new Set([throttled])
  })
)

const isThrottled = ({ cause, fiber, logLevel }: Logger.Options<unknown>): boolean =>
  fiber.getRef(Repeats) || (cause.reasons.length > 0 && LogLevel.isGreaterThanOrEqualTo(logLevel, "Warn"))

const lineOf = ({ cause, fiber, logLevel, message }: Logger.Options<unknown>): Line => {
  const annotations = fiber.getRef(References.CurrentLogAnnotations)
  const reason = annotations["reason"] ?? (cause.reasons.length === 0 ? "" : formatErrorWithCauses(Cause.squash(cause)))
  return { level: logLevel, message, annotations, reason: String(reason).slice(0, 300) }
}

/** Returns the kind of a log line. Lines that differ only in ids, ports and other numbers have the same kind. */
const kindOf = ({ level, message, reason }: Line, kinds: ReadonlyMap<string, Pending>): string => {
  const line = `${level} ${String(message)}`
  const kind = `${line} ${reason}`.replace(/[\da-f-]{8,}|\d+/gi, "#")
  return kinds.has(kind) || kinds.size < maxKinds ? kind : line
}

/** Logs how often the last log line was repeated since the previous summary. */
const summarize = (pending: Pending) =>
  Effect.suspend(() => {
    const { count, last } = pending
    if (count === 0) return Effect.void
    pending.count = 0
    const { annotations, level, message, reason } = last
    return Effect.annotateLogs(Effect.logWithLevel(level as LogLevel.Severity)(...texts(message)), {
      ...annotations,
      reason,
      count
    })
  })

const texts = (message: unknown): ReadonlyArray<unknown> => (Array.isArray(message) ? message : [message])

/** Shortens a cause: keeps the first stack frames of each error, and reduces each nested cause to one line. */
const short = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> =>
  cause.reasons.length === 0
    ? cause
    : Cause.fromReasons(Cause.prettyErrors(cause).map((error) => Cause.makeDieReason(shortError(error))))

const shortError = (error: Error) => {
  const lines = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line))
  const frames = lines.filter((line) => !/node:|node_modules/.test(line)).slice(0, framesShown)
  const stack = [head(error), ...frames, ...causesOf(error.cause, causesShown)].join("\n")
  return { name: error.name, message: error.message, stack }
}

const head = ({ message, name }: Error) => `${name}: ${message}`

const causesOf = (cause: unknown, limit: number): ReadonlyArray<string> =>
  cause instanceof Error && limit > 0 ? [`  caused by ${head(cause)}`, ...causesOf(cause.cause, limit - 1)] : []
