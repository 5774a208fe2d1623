/** Checks that the database answers, has the current schema and accepts a write, which is rolled back. */
import { formatDatabaseName, isPostgresSettings } from "@partner-commentary/settings/DatabaseSettings"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Database from "../app/Database.ts"
import { type DoctorFinding, makeMendFinding, makeOkFinding } from "./Doctor.ts"

/** The `doctor` command runs its other database checks only if `checkDatabase` succeeds. */
export const checkDatabase = Effect.fnUntraced(function* (settings: Settings) {
  const { database } = settings
  if (!isPostgresSettings(database) && database.filename === ":memory:") {
    return makeOkFinding("database", "The database is in memory and ends with the process.")
  }
  const { schemaStatus } = yield* Effect.promise(() => import("@partner-commentary/sql/Migrations"))
  const DatabaseHealth = yield* Effect.promise(() => import("@partner-commentary/sql/operations/DatabaseHealth"))
  const { findWriteObstacle } = yield* Effect.promise(() => import("@partner-commentary/sql/database/WriteAccess"))
  const question = Effect.gen(function* () {
    const found = yield* schemaStatus
    const isBehind = found.left.length > 0
    const inTheWay: Option.Option<Error> = isBehind ? found.obstacle : yield* findWriteObstacle(found)
    const written =
      isBehind || Option.isSome(inTheWay)
        ? Option.none()
        : yield* Effect.flip(DatabaseHealth.runTestWrite).pipe(Effect.option)
    return { left: found.left.length, inTheWay: Option.orElse(inTheWay, (): Option.Option<Error> => written) }
  })
  const looks = Effect.gen(function* () {
    const seen = yield* Database.queryWithoutSchemaCheck(settings, question)
    const direct = yield* Database.queryOverDirectUrl(settings, schemaStatus)
    // Migrations may use another database role, so the check examines the permissions of the migrating role.
    const migrating = Option.match(direct, { onNone: () => seen.inTheWay, onSome: ({ obstacle }) => obstacle })
    return { ...seen, inTheWay: seen.left > 0 ? migrating : seen.inTheWay }
  })
  return yield* Effect.match(looks, {
    onFailure: ({ message }): DoctorFinding => makeMendFinding("database", message),
    onSuccess: ({ inTheWay, left }): DoctorFinding => {
      if (Option.isSome(inTheWay))
        return makeMendFinding("database", `${formatDatabaseName(database)}: ${inTheWay.value.message}`)
      return left > 0
        ? makeMendFinding("database", `${left} migrations are pending: run partner-commentary migrate.`)
        : makeOkFinding(
            "database",
            `${formatDatabaseName(database)} responds, has the current schema and accepts writes.`
          )
    }
  })
})
