/** The schema of databases in memory: what the migrations leave behind, made for the first one of a process and copied from there. */
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { migrations, statements } from "./PresentSchema.ts"
import { SqliteClient } from "./SqliteClient.ts"

/** Empty but for the schema, and never changed. */
let template: Option.Option<Uint8Array> = Option.none()

/** Not while a migration is being written. */
const isPresent = migrations.join() === Migrations.names.join()
const script = statements.join(";\n")

/** Brings an empty database to the present schema. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const client = yield* SqliteClient
    if (Option.isSome(template)) return yield* client.load(template.value)
    if (isPresent) yield* client.script(script)
    else yield* Migrations.migrate
    template = yield* client.image
  })
)
