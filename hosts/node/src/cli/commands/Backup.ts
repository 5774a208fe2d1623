/**
 * Defines the command `backup`, which copies the SQLite database while the service runs. For Postgres, `backup` tells
 * the operator to use `pg_dump`.
 */
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { open, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { formatErrorWithCauses } from "@partner-commentary/core/shared/Reason"
import { isPostgresSettings } from "@partner-commentary/settings/DatabaseSettings"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Database from "../../app/Database.ts"
import * as NewFile from "../../app/NewFile.ts"
import { CommandFailed } from "../CommandFailed.ts"
import { printResult } from "../Output.ts"

export const backupCommand = Command.make(
  "backup",
  { file: Argument.String("file").pipe(Argument.withDescription("The file to create; it must not exist")) },
  Effect.fn(function* ({ file }) {
    const settings = yield* Effect.tap(Settings.readSettings, Settings.requireExplicitDatabase)
    const { database } = settings
    if (isPostgresSettings(database)) {
      return yield* makeBackupFailure(
        "The database is on Postgres: back it up with pg_dump, as docs/guides/postgres.md shows"
      )
    }
    if (database.filename === ":memory:") return yield* makeBackupFailure("A database in memory cannot be backed up")
    if (existsSync(file)) return yield* makeBackupFailure(alreadyThere(file))
    const unfinished = yield* createUnfinishedFile(file)
    yield* Database.queryWithoutSchemaCheck(settings, Effect.void).pipe(
      Effect.andThen(
        Effect.tryPromise({
          try: () => copy(database.filename, unfinished, file),
          catch: (error) => new CommandFailed({ message: `${explainBackupError(error, file)}.` })
        })
      ),
      Effect.ensuring(Effect.promise(() => remove(unfinished)))
    )
    const { size: bytes } = yield* Effect.promise(() => stat(file))
    yield* printResult({ json: () => ({ file, bytes }), text: () => [`${file} holds the backup, ${bytes} bytes.`] })
  })
).pipe(Command.withDescription("Copy the SQLite database to a new file while the service runs"))

const makeBackupFailure = (message: string) => new CommandFailed({ message: `${message}.` })

const alreadyThere = (file: string) => `${file} already exists: choose a new file`

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

const explainBackupError = (error: unknown, file: string): string =>
  codeOf(error) === "EEXIST" ? alreadyThere(file) : `The backup failed: ${formatErrorWithCauses(error)}`

/**
 * Creates an empty file beside the final file. Only the file's owner can read the file, even while the copy is
 * unfinished.
 */
const createUnfinishedFile = (file: string) => {
  const unfinished = `${file}.part-${randomUUID()}`
  return Effect.tryPromise({
    try: () => open(unfinished, "wx", 0o600).then((handle) => handle.close()),
    catch: (error) => makeBackupFailure(unwritable(dirname(file), error))
  }).pipe(Effect.as(unfinished))
}

const unwritable = (folder: string, error: unknown): string => {
  if (codeOf(error) === "ENOENT") return `The folder ${folder} does not exist`
  if (codeOf(error) === "ENOTDIR") return `${folder} is not a folder`
  return `The folder ${folder} cannot be written to: ${codeOf(error)}`
}

/** The number of pages that one step copies, which exceeds the page count of any SQLite file. */
const allPages = 2 ** 31 - 1

/** Copies all pages in one step, because SQLite restarts a multi-step copy whenever another process writes. */
const copy = async (source: string, unfinished: string, file: string): Promise<void> => {
  const { backup, DatabaseSync } = await import("node:sqlite")
  const from = new DatabaseSync(source, { readOnly: true })
  try {
    await backup(from, unfinished, { rate: allPages })
  } finally {
    from.close()
  }
  const made = new DatabaseSync(unfinished)
  try {
    const [found] = made.prepare("PRAGMA quick_check(1)").all()
    if (found?.["quick_check"] !== "ok") throw new Error(`the copy is corrupt: ${found?.["quick_check"]}`)
  } finally {
    made.close()
  }
  await sync(unfinished)
  await NewFile.renameWithoutReplacing(unfinished, file)
  // Ignore the error, because some file systems cannot sync a folder.
  await sync(dirname(file)).catch(() => undefined)
}

const sync = async (path: string) => {
  const handle = await open(path, "r")
  await handle.sync().finally(() => handle.close())
}

const remove = (unfinished: string) =>
  Promise.all(["", "-wal", "-shm", "-journal"].map((suffix) => rm(`${unfinished}${suffix}`, { force: true })))
