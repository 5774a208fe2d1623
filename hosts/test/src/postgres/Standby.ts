/**
 * Starts a streaming replica of a test server: a base backup of the running server, and a second server that replicates
 * from the first server.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as PostgresServer from "./PostgresServer.ts"
import { runOnDatabase } from "./TestDatabase.ts"

/**
 * The files that are not copied: the state of the running process, and the configuration that the supervisor rewrites.
 */
const skipped = ["postmaster.pid", "postmaster.opts", "postgresql.conf"]

export const startStandby = Effect.fnUntraced(function* (primary: PostgresServer.PostgresTestServer) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "backup-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  // Postgres requires that a backup begins and ends on the same connection.
  yield* runOnDatabase(Redacted.make(primary.url), (sql) =>
    Effect.gen(function* () {
      const [place] = yield* sql<{ readonly data_directory: string }>`SHOW data_directory`
      yield* sql`SELECT pg_backup_start('standby', true)`
      yield* Effect.sync(() =>
        cpSync(place?.data_directory ?? "", folder, {
          recursive: true,
          filter: (source) => !skipped.includes(basename(source))
        })
      )
      const [ended] = yield* sql<{ readonly label: string }>`SELECT labelfile AS label FROM pg_backup_stop(false)`
      writeFileSync(join(folder, "backup_label"), ended?.label ?? "")
      writeFileSync(join(folder, "standby.signal"), "")
    })
  )
  const { port } = new URL(primary.url)
  return yield* Effect.acquireRelease(
    Effect.promise(() =>
      PostgresServer.startPostgresServer({
        dataFrom: folder,
        settings: [`primary_conninfo=host=127.0.0.1 port=${port} user=postgres`]
      })
    ),
    ({ stop }) => Effect.promise(stop)
  )
})
