/**
 * Provides the schema of databases in memory. The first database in memory of a process is created with generated
 * statements, and later databases start as copies of that new, empty database.
 */
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { presentSchemaMigrationNames, schemaStatements } from "./PresentSchema.ts"
import { SqliteClient } from "./SqliteClient.ts"

/** The bytes of a database that contains only the schema; none until the first database in memory exists. */
let template: Option.Option<Uint8Array> = Option.none()

/** True if the generated statements are up to date, which means that they include all migrations. */
const isPresent = presentSchemaMigrationNames.join() === Migrations.names.join()
const script = schemaStatements.join(";\n")

/** Creates the current schema in an empty database. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const client = yield* SqliteClient
    if (Option.isSome(template)) return yield* client.load(template.value)
    if (isPresent) yield* client.script(script)
    else yield* Migrations.migrate
    template = yield* client.image
  })
)
