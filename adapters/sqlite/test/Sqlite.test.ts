/** Tests SQLite files that are opened again or cannot be opened, and rows that the schema refuses. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { TopicStore } from "@partner-commentary/core/topic/TopicStore"
import { migrate } from "@partner-commentary/sql/Migrations"
import { layer, layerMemory } from "@partner-commentary/sqlite/Sqlite"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import { makeSubmission, makeTopicId } from "@partner-commentary/testkit/support/Fixtures"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { makeTemporaryFolder } from "./TemporaryFolder.ts"

describe("SQLite files", () => {
  it.effect("the error for a file that cannot be opened contains the path and the reason", () =>
    Effect.gen(function* () {
      const place = yield* makeTemporaryFolder
      const text = join(place, "text.db")
      writeFileSync(text, "no database".repeat(100))
      for (const [filename, why] of [
        [join(text, "below.db"), /EEXIST|ENOTDIR/],
        [place, /unable to open database file/],
        [text, /file is not a database/]
      ] as const) {
        const refused = yield* Effect.flip(Effect.scoped(Layer.build(Layer.fresh(SqliteClient.layer({ filename })))))
        assert.include(refused.message, `Failed to open database ${filename}: `)
        assert.match(refused.message, why)
      }
    })
  )

  it.effect("an SQLite file that is opened again contains its rows and needs no migration", () =>
    Effect.gen(function* () {
      const stores = Layer.fresh(layer({ filename: join(yield* makeTemporaryFolder, "new", "stores.db") }))
      const given = makeSubmission()
      yield* Effect.provide(
        Effect.flatMap(TopicStore, (topics) => topics.submit(given)),
        stores
      )
      yield* Effect.provide(
        Effect.gen(function* () {
          const topics = yield* TopicStore
          assert.isTrue(Option.isSome(yield* topics.find(given.topic, given.topic.id)))
          assert.deepStrictEqual(yield* migrate, [])
        }),
        stores
      )
    })
  )

  it.effect("every migration is applied once, in order", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const applied = yield* sql<{ readonly migration_id: number }>`SELECT migration_id
        FROM partner_commentary_migrations ORDER BY migration_id`
      const ids = applied.map(({ migration_id }) => migration_id)
      assert.deepStrictEqual(
        ids,
        [...new Set(ids)].toSorted((one, other) => one - other)
      )
      assert.strictEqual(ids[0], 1)
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("each database in memory has the complete schema, and contains no rows of another database in memory", () =>
    Effect.gen(function* () {
      const look = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const topics = yield* TopicStore
        const before = yield* sql`SELECT id FROM topics`
        const given = makeSubmission()
        yield* topics.submit(given)
        assert.isTrue(Option.isSome(yield* topics.find(given.topic, given.topic.id)))
        assert.deepStrictEqual(yield* migrate, [])
        const schema = yield* sql`SELECT type, name, sql FROM sqlite_master ORDER BY type, name`
        return { before, schema: JSON.stringify(schema) }
      })
      const fresh = Effect.suspend(() => Effect.provide(look, Layer.fresh(layer({ filename: ":memory:" }))))
      const [first, second, third] = yield* Effect.all([fresh, fresh, fresh])
      for (const each of [first, second, third]) assert.deepStrictEqual(each.before, [])
      assert.strictEqual(second.schema, first.schema)
      assert.strictEqual(third.schema, first.schema)
      const file = layer({ filename: join(yield* makeTemporaryFolder, "migrated.db") })
      assert.strictEqual((yield* Effect.provide(look, Layer.fresh(file))).schema, first.schema)
    })
  )

  it.effect("an SQLite file that a newer version has migrated is refused and stays unchanged", () =>
    Effect.gen(function* () {
      const filename = join(yield* makeTemporaryFolder, "newer.db")
      const open = <A, E>(effect: Effect.Effect<A, E, SqlClient.SqlClient>) =>
        Effect.provide(effect, Layer.fresh(SqliteClient.layer({ filename })))
      const ids = Effect.flatMap(SqlClient.SqlClient, (sql) =>
        Effect.map(
          sql<{ readonly id: number }>`SELECT migration_id AS id FROM partner_commentary_migrations ORDER BY id`,
          (rows) => rows.map(({ id }) => id)
        )
      )
      const known = yield* open(Effect.andThen(migrate, ids))
      const latest = Math.max(...known)
      const found = latest + 1
      yield* open(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`INSERT INTO partner_commentary_migrations (migration_id, name) VALUES (${found}, 'later')`
        )
      )
      const refused = yield* Effect.flip(open(migrate))
      assert.deepInclude(refused, { _tag: "SchemaTooNew", found, known: latest })
      assert.include(refused.message, "newer version")
      yield* Effect.flip(Effect.provide(TopicStore, Layer.fresh(layer({ filename }))))
      assert.deepStrictEqual(yield* open(ids), [...known, found])
    })
  )

  it.effect("the database schema refuses rows with a wrong type or status", () =>
    Effect.gen(function* () {
      const topics = yield* TopicStore
      const sql = yield* SqlClient.SqlClient
      yield* topics.submit(makeSubmission())
      yield* Effect.flip(sql`UPDATE assignments SET status = 'lost'`)
      yield* Effect.flip(sql`UPDATE topics SET status = 'lost'`)
      yield* Effect.flip(sql`UPDATE topics SET topic_sent = -1`)
      yield* Effect.flip(sql`UPDATE topics SET topic_sent = 'many'`)
      yield* Effect.flip(sql`UPDATE mails SET state = 'sent'`)
      yield* Effect.flip(sql`DELETE FROM topics`)
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("a submission or read whose table is missing dies with a defect, and returns no empty result", () =>
    Effect.gen(function* () {
      const topics = yield* TopicStore
      const sql = yield* SqlClient.SqlClient
      yield* sql`ALTER TABLE topics RENAME TO elsewhere`
      const given = makeSubmission()
      for (const asked of [topics.submit(given), topics.find(given.topic, makeTopicId())]) {
        const defect = yield* Effect.catchDefect(Effect.asVoid<unknown, unknown, never>(asked), Effect.succeed)
        assert.include(String(defect), "SqlError")
      }
    }).pipe(Effect.provide(layerMemory))
  )
})
