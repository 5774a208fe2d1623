/** Tests that the example with integer keys passes the test suite that every PersonaStore must pass. */
import { DatabaseSync } from "node:sqlite"
import { PersonaId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as PersonaReadingSuite from "@partner-commentary/testkit/PersonaReadingSuite"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PersonaFunctions from "partner-commentary/ports/PersonaFunctions"
import { makePersonaReader, personaIdFromKey } from "../own-personas.ts"

class Host extends Context.Service<Host, DatabaseSync>()("examples/test/Host") {
  static readonly layer = Layer.sync(Host, () => {
    const database = new DatabaseSync(":memory:")
    database.exec("CREATE TABLE authors (key INTEGER PRIMARY KEY, pen_name, about, email, joined)")
    database.exec("CREATE TABLE contracts (author INTEGER, partner, ends)")
    return database
  })
}

const store = Layer.unwrap(Host.useSync((database) => PersonaFunctions.layer(makePersonaReader(database))))
const keyFromPersonaId = (id: string) => Number(id.slice(-12))
let lastKey = 0

PersonaReadingSuite.suite("integer keys of the host", Layer.provideMerge(store, Host.layer), {
  personaId: () => PersonaId.make(personaIdFromKey(++lastKey)),
  publish: ({ bio, createdAt, creator, id, name }) =>
    Host.useSync((database) =>
      database
        .prepare("INSERT INTO authors VALUES (?, ?, ?, ?, ?)")
        .run(keyFromPersonaId(id), name, bio, creator.email, Instant.toIso(createdAt))
    ),
  license: (organization, id, until) =>
    Host.useSync((database) =>
      database
        .prepare("INSERT INTO contracts VALUES (?, ?, ?)")
        .run(keyFromPersonaId(id), organization, until === null ? null : Instant.toIso(until))
    ),
  existing: (organization) =>
    Host.use((database) =>
      Effect.sync(() => {
        database
          .prepare("INSERT INTO authors VALUES (999999, 'Bo', '', 'bo@host.example', '2020-01-01T00:00:00Z')")
          .run()
        database.prepare("INSERT INTO contracts VALUES (999999, ?, NULL)").run(organization)
      })
    )
})
