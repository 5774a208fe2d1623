/** Tests how migrations handle databases of development versions and databases with tables of a host. */
import { assert, it } from "@effect/vitest"
import { allMigrations, make, migrate, names } from "@partner-commentary/sql/Migrations"
import { layerMemory } from "@partner-commentary/sqlite/Sqlite"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"

it.effect("a database that a development version created is refused with a clear error and stays unchanged", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = sql`SELECT migration_id, name FROM partner_commentary_migrations ORDER BY migration_id`
    assert.lengthOf(yield* rows, names.length)
    yield* sql`UPDATE partner_commentary_migrations SET name = 'partners' WHERE migration_id = 1`
    yield* sql`INSERT INTO partner_commentary_migrations (migration_id, name) VALUES (34, 'processes')`
    const before = yield* rows
    const { _tag, message } = yield* Effect.flip(migrate)
    assert.strictEqual(_tag, "SchemaUnreleased")
    assert.include(message, "from before the first release")
    assert.include(message, "start with an empty database")
    assert.deepStrictEqual(yield* rows, before)
  }).pipe(Effect.provide(layerMemory))
)

it.effect("the migration of long rows keeps all rows, their references and the objects of a host", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const migrateUpTo = (last: string) =>
      make(Object.fromEntries(Object.entries(allMigrations).filter(([name]) => name <= last)), new Set()).migrate
    yield* migrateUpTo("0015_fixed_deadlines")
    const columns = yield* sql<{ readonly name: string }>`
      SELECT name FROM pragma_table_info('topics') WHERE "notnull" = 1 OR name = 'id'`
    const values = columns.map(({ name }) => (name === "environment" ? "live" : name === "status" ? "pending" : "0"))
    yield* sql`INSERT INTO topics ${sql.insert(Object.fromEntries(columns.map(({ name }, at) => [name, values[at]])))}`
    const addEvent = (id: string) =>
      sql`INSERT INTO events ${sql.insert({
        id,
        organization_id: "o",
        environment: "live",
        type: "creator.approved",
        share_id: "s",
        created_at: "now",
        payload: "{}"
      })}`
    yield* addEvent("1")
    yield* sql`CREATE TABLE notes (topic_id TEXT REFERENCES topics (id), changed TEXT)`
    yield* sql`CREATE TABLE labels (topic_id TEXT REFERENCES topics (id) ON DELETE CASCADE)`
    yield* sql`INSERT INTO notes (topic_id) VALUES ('0')`
    yield* sql`INSERT INTO labels VALUES ('0')`
    yield* sql`CREATE VIEW contents AS SELECT id, content FROM topics JOIN notes ON topic_id = id`
    yield* sql`CREATE TRIGGER noted AFTER UPDATE ON Topics BEGIN UPDATE notes SET changed = NEW.content; END`
    yield* sql`ALTER TABLE topics ADD COLUMN title TEXT AS (SUBSTR(content, 1, 9))`
    const rows = Effect.forEach(["topics", "events", "contents", "labels"], (table) => sql`SELECT * FROM ${sql(table)}`)
    const before = yield* rows

    assert.deepStrictEqual(yield* migrateUpTo("0016_long_rows"), [[16, "long_rows"]])
    assert.deepStrictEqual(yield* rows, before)
    assert.deepStrictEqual(yield* sql`PRAGMA foreign_key_check`, [])
    assert.strictEqual((yield* Effect.flip(sql`DELETE FROM topics`)).reason._tag, "ConstraintError")
    yield* sql`UPDATE topics SET content = 'changed'`
    assert.deepStrictEqual(yield* sql`SELECT changed FROM notes`, [{ changed: "changed" }])
    yield* addEvent("2")
    assert.deepStrictEqual(yield* sql`SELECT event_id, position FROM event_positions ORDER BY position`, [
      { event_id: "1", position: 1 },
      { event_id: "2", position: 2 }
    ])
  }).pipe(Effect.provide(SqliteClient.layer({ filename: ":memory:" })))
)
