/** `backup`: a copy of the SQLite database while everything runs. A database server's own tools copy a Postgres database. */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { reasonOf } from "@partner-commentary/core/shared/Reason"
import { isPostgres } from "@partner-commentary/settings/DatabaseSettings"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Database from "../../app/Database.ts"
import { answer } from "../Answer.ts"
import { CommandFailed } from "../CommandFailed.ts"

export const backup = Command.make(
  "backup",
  { file: Argument.String("file").pipe(Argument.withDescription("The file to make: one that is there is refused")) },
  Effect.fn(function* ({ file }) {
    const settings = yield* Effect.tap(Settings.read, Settings.requireNamedDatabase)
    const { database } = settings
    if (isPostgres(database)) {
      return yield* refused("The database is on Postgres: back it up with pg_dump, as docs/guides/postgres.md shows")
    }
    if (database.filename === ":memory:") return yield* refused("A database in memory cannot be backed up")
    if (existsSync(file)) return yield* refused(`${file} is there already: name a new file`)
    yield* Database.looking(settings, Effect.void)
    const bytes = yield* Effect.tryPromise({
      try: () => copy(database.filename, file),
      catch: (error) => new CommandFailed({ message: `The backup failed: ${reasonOf(error)}.` })
    })
    yield* answer({ json: () => ({ file, bytes }), text: () => [`${file} holds the backup, ${bytes} bytes.`] })
  })
).pipe(Command.withDescription("Copy the SQLite database to a new file while everything runs"))

/** More than any file has. */
const allPages = 2 ** 31 - 1

const refused = (message: string) => new CommandFailed({ message: `${message}.` })

/** All pages in one step: a copy in several begins anew whenever another process writes. Writers go on beside it. */
const copy = async (source: string, file: string): Promise<number> => {
  const { backup, DatabaseSync } = await import("node:sqlite")
  const part = `${file}.part-${process.pid}`
  // The copy is of its owner alone from the first byte on.
  const descriptor = openSync(part, "wx", 0o600)
  try {
    const from = new DatabaseSync(source, { readOnly: true })
    try {
      await backup(from, part, { rate: allPages })
    } finally {
      from.close()
    }
    const made = new DatabaseSync(part)
    try {
      const [found] = made.prepare("PRAGMA quick_check(1)").all()
      if (found?.["quick_check"] !== "ok") throw new Error(`the copy is corrupt: ${found?.["quick_check"]}`)
    } finally {
      made.close()
    }
    fsyncSync(descriptor)
    // Unlike a rename, a link never takes the place of a file that came meanwhile.
    linkSync(part, file)
    const folder = openSync(dirname(file), "r")
    fsyncSync(folder)
    closeSync(folder)
    return statSync(file).size
  } finally {
    closeSync(descriptor)
    for (const left of [part, `${part}-wal`, `${part}-shm`, `${part}-journal`]) rmSync(left, { force: true })
  }
}
