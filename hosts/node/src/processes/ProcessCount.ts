/** Determines the number of `serve` processes from the command line, the environment, or the number of cores. */
import { availableParallelism } from "node:os"
import { isPostgresSettings } from "@partner-commentary/settings/DatabaseSettings"
import type { Settings } from "@partner-commentary/settings/Settings"
import { InvalidSetting } from "@partner-commentary/settings/Variable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UsageError } from "../cli/CommandFailed.ts"

/**
 * The maximum number of processes if neither the command line nor the settings contain a number. Postgres allows 100
 * connections by default, so eight pools of 11 connections leave room for other clients.
 */
const largestDefault = 8

const onSqlite = "must be 1 on SQLite, where one process writes"

const isSeveral = (count: number) => count > 1

/** Returns why `serve` refuses the variable PROCESSES, or none if `serve` accepts the variable. */
export const findProcessesSettingError = ({ database, processes }: Settings): Option.Option<InvalidSetting> =>
  !isPostgresSettings(database) && Option.exists(processes, isSeveral)
    ? Option.some(new InvalidSetting({ name: "PROCESSES", reason: onSqlite }))
    : Option.none()

/** Returns the number of processes. The number from the command line (`asked`) takes precedence over the settings. */
export const resolveProcessCount = (settings: Settings, asked: Option.Option<number>) =>
  Effect.gen(function* () {
    if (isPostgresSettings(settings.database)) {
      return Option.getOrElse(
        Option.orElse(asked, () => settings.processes),
        () => Math.min(availableParallelism(), largestDefault)
      )
    }
    if (Option.exists(asked, isSeveral)) return yield* new UsageError({ message: `--processes ${onSqlite}.` })
    const refusal = Option.isNone(asked) ? findProcessesSettingError(settings) : Option.none()
    return Option.isSome(refusal) ? yield* refusal.value : 1
  })
