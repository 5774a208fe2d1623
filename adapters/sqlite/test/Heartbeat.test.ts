/** Tests the log line of a process that starts while the database refuses its heartbeat. */
import { assert, it } from "@effect/vitest"
import * as Heartbeat from "@partner-commentary/sql/database/Heartbeat"
import { layerMemory } from "@partner-commentary/sqlite/Sqlite"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as SqlClient from "effect/sql/SqlClient"

it.effect("a process whose first heartbeat fails starts, and logs a text with the reason as an annotation", () =>
  Effect.gen(function* () {
    const lines: Array<unknown> = []
    const log = Logger.layer([Logger.map(Logger.formatStructured, (line) => void lines.push(line))])
    const sql = yield* SqlClient.SqlClient
    yield* sql`DROP TABLE processes`
    yield* Layer.build(Heartbeat.layer("1.2.3").pipe(Layer.provide(SecureRandom.layerWebCrypto), Layer.provide(log)))
    assert.lengthOf(lines, 1)
    assert.deepInclude(lines[0], {
      level: "WARN",
      message: "Failed to record this process",
      annotations: { reason: "no such table: processes" }
    })
  }).pipe(Effect.scoped, Effect.provide(layerMemory))
)
