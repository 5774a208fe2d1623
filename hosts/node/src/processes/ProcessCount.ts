/** The number of processes of `serve`, by the command line, the environment, or the cores of the machine. */
import { availableParallelism } from "node:os"
import { isPostgres } from "@partner-commentary/settings/DatabaseSettings"
import type { Settings } from "@partner-commentary/settings/Settings"
import { SettingRefused } from "@partner-commentary/settings/Variable"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { UsageError } from "../cli/CommandFailed.ts"

/** With eight pools of 11 connections Postgres has room for others: its `max_connections` is 100 by default. */
const largestDefault = 8

const onSqlite = "must be 1 on SQLite, where one process writes"

const isSeveral = (count: number) => count > 1

/** Says why `serve` refuses the variable PROCESSES, if it does. */
export const refusalOf = ({ database, processes }: Settings): Option.Option<SettingRefused> =>
  !isPostgres(database) && Option.exists(processes, isSeveral)
    ? Option.some(new SettingRefused({ name: "PROCESSES", reason: onSqlite }))
    : Option.none()

/** `asked` is the number that the command line asks for, which takes precedence. */
export const countProcesses = (settings: Settings, asked: Option.Option<number>) =>
  Effect.gen(function* () {
    if (isPostgres(settings.database)) {
      return Option.getOrElse(
        Option.orElse(asked, () => settings.processes),
        () => Math.min(availableParallelism(), largestDefault)
      )
    }
    if (Option.exists(asked, isSeveral)) return yield* new UsageError({ message: `--processes ${onSqlite}.` })
    const refusal = Option.isNone(asked) ? refusalOf(settings) : Option.none()
    return Option.isSome(refusal) ? yield* refusal.value : 1
  })
