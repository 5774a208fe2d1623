/** Writes logs to stderr, as readable text on a terminal and as JSON lines elsewhere. Only commands print to stdout. */
import { formatHttpAddress } from "@partner-commentary/core/shared/Loopback"
import { AccessLogEnabled } from "@partner-commentary/server/middleware/AccessLog"
import { effectLogLevels } from "@partner-commentary/settings/LogLevels"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as References from "effect/References"

/** Long-running services log from level `info` by default, and commands log from level `warn` by default. */
export const layer = ({ log }: Settings, usual: "info" | "warn") => {
  const format = Option.getOrElse(log.format, () => (process.stderr.isTTY ? "pretty" : "json"))
  const level = effectLogLevels[Option.getOrElse(log.level, () => usual)]
  return Layer.mergeAll(
    Logger.layer([format === "pretty" ? Logger.consolePretty() : Logger.withConsoleError(Logger.formatJson)]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(AccessLogEnabled, log.requests),
    Layer.succeed(References.MinimumLogLevel, level)
  )
}

export const logMetricsAddress = (host: string, port: number) =>
  Effect.logInfo(`Metrics at ${formatHttpAddress(host, port)}/metrics`)
