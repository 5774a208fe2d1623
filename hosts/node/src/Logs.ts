/** Where logs go: all to stderr, for people on a terminal and as JSON lines elsewhere. stdout belongs to answers. */

import type { LogLevel, Settings } from "@partner-commentary/settings/Settings"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import type { LogLevel as EffectLogLevel } from "effect/LogLevel"
import * as Option from "effect/Option"
import * as References from "effect/References"

/** Services report what they do; a command only what a person must know. */
export const layer = ({ log }: Settings, usual: "info" | "warn") => {
  const format = Option.getOrElse(log.format, () => (process.stderr.isTTY ? "pretty" : "json"))
  const level = levels[Option.getOrElse(log.level, () => usual)]
  return Layer.mergeAll(
    Logger.layer([format === "pretty" ? Logger.consolePretty() : Logger.withConsoleError(Logger.formatJson)]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, level)
  )
}

const levels: Record<LogLevel, EffectLogLevel> = {
  all: "All",
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  warning: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None"
}
