/** Writes the log lines of the service with the application's logger or with Effect's logger. */
import * as LogThrottle from "@partner-commentary/core/shared/LogThrottle"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

type Method = (...line: ReadonlyArray<never>) => unknown

/** The methods that common loggers have, such as `console`, pino, winston and Fastify's `log`. */
export interface HostLogger {
  readonly debug: Method
  readonly info: Method
  readonly warn: Method
  readonly error: Method
}

const methods = ["debug", "info", "warn", "error"] as const

export const isHostLogger = (given: unknown): given is HostLogger =>
  Predicate.isObjectOrArray(given) &&
  methods.every((name) => Predicate.hasProperty(given, name) && Predicate.isFunction(given[name]))

const methodOf: Readonly<Record<string, (typeof methods)[number]>> = {
  TRACE: "debug",
  DEBUG: "debug",
  INFO: "info",
  WARN: "warn",
  ERROR: "error",
  FATAL: "error"
}

/** Returns whether the logger is pino, which expects the fields before the message. */
const isPino = (logger: HostLogger): boolean => Predicate.hasProperty(logger, "bindings")

const written = (logger: HostLogger) =>
  Logger.map(Logger.formatStructured, ({ annotations, cause, level, message }) => {
    const fields = { ...annotations, ...(cause === undefined ? {} : { cause }) }
    const write = (logger[methodOf[level] ?? "info"] as (...line: ReadonlyArray<unknown>) => unknown).bind(logger)
    const text = Predicate.isString(message) ? message : JSON.stringify(message)
    if (isPino(logger)) write(fields, text)
    else if (Object.keys(fields).length === 0) write(text)
    else write(text, fields)
  })

/**
 * Returns the layer of the service's logger. During an outage, repeated log lines are counted and not written each
 * time.
 */
export const layer = (given: HostLogger | Logger.Logger<unknown, unknown> | undefined) => {
  if (given === undefined) return LogThrottle.layer
  const inner = Logger.isLogger(given) ? given : written(given)
  // An error of the application's logger must not fail a request, a job or the stop of the service.
  const logger = Logger.make<unknown, void>((line) => void Result.try(() => inner.log(line)))
  return LogThrottle.layer.pipe(Layer.provide(Logger.layer([logger])))
}
