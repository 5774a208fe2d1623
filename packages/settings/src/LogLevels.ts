/** Maps the levels that `LOG_LEVEL` accepts to Effect's log levels. */
import type { LogLevel as EffectLogLevel } from "effect/LogLevel"
import type { LogLevel } from "./Settings.ts"

export const effectLogLevels: Record<LogLevel, EffectLogLevel> = {
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
