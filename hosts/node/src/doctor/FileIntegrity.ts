/**
 * Runs SQLite's `quick_check` on the database file in a child process, because only killing a process stops a running
 * check.
 */
import { spawn } from "node:child_process"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { isPostgresSettings } from "@partner-commentary/settings/DatabaseSettings"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type DoctorFinding, makeMendFinding, makeNoticeFinding, makeOkFinding } from "./Doctor.ts"

/** The time limit of the check of the SQLite file. The whole command `doctor` takes at most 5 seconds. */
const timeout = Duration.seconds(3)

/** The maximum wait for a lock of the SQLite file. A connection that closes locks the file briefly for a checkpoint. */
const lockTimeout = Duration.seconds(2)

/**
 * A program that runs `quick_check` in a child process. If the check fails, the program prints SQLite's result code,
 * because not every failure means damaged pages. The program opens the SQLite file for writing, because a read-only
 * connection leaves the write-ahead log behind. The program never creates a missing SQLite file.
 */
const script = `const { DatabaseSync } = require("node:sqlite")
const answer = (found) => process.stdout.write(JSON.stringify(found))
try {
  const database = new DatabaseSync(process.argv[1], { timeout: ${Duration.toMillis(lockTimeout)} })
  const [row] = database.prepare("PRAGMA quick_check(1)").all()
  database.close()
  answer({ code: 0, reason: row.quick_check })
} catch (error) {
  answer({ code: (error.errcode ?? 0) & 255, reason: error.message })
}`

/** The result codes SQLITE_CORRUPT and SQLITE_NOTADB mean that the file is damaged. */
const corruptCodes = [11, 26]

/**
 * The result codes SQLITE_PERM, BUSY, LOCKED, READONLY and CANTOPEN mean that the pages were not read. READONLY can
 * occur because a write-ahead log needs a writable folder.
 */
const refusedCodes = [3, 5, 6, 8, 14]

/** Checks a SQLite file. Returns no finding for Postgres and for a database in memory. */
export const checkFileIntegrity = ({ database }: Settings): Effect.Effect<ReadonlyArray<DoctorFinding>> => {
  if (isPostgresSettings(database) || database.filename === ":memory:") return Effect.succeed([])
  const { filename } = database
  return Effect.map(
    Effect.timeoutOrElse(checkFile(filename), {
      duration: timeout,
      orElse: () =>
        Effect.succeed(
          makeNoticeFinding(
            "database file",
            `The check did not finish: checking ${filename} takes more than ${Duration.format(timeout)}. Run sqlite3 ${filename} "PRAGMA integrity_check" regularly.`
          )
        )
    }),
    (finding) => [finding]
  )
}

const toFinding = (filename: string, code: number, reason: string): DoctorFinding => {
  const check = "database file"
  if (code === 0 && reason === "ok") return makeOkFinding(check, "Its pages are intact.")
  if (refusedCodes.includes(code)) return makeNoticeFinding(check, `Not checked: ${reason}.`)
  return code === 0 || corruptCodes.includes(code)
    ? makeMendFinding(
        check,
        `${filename} is corrupt (${reason.split("\n")[0]}): stop everything, and restore the last backup.`
      )
    : makeMendFinding(check, `${filename} cannot be read completely: ${reason}. Check the path and the disk.`)
}

const checkFile = (filename: string) =>
  Effect.callback<DoctorFinding>((resume) => {
    const child = spawn(
      process.execPath,
      ["--no-warnings", "-e", script, `${pathToFileURL(resolve(filename))}?mode=rw`],
      {
        stdio: ["ignore", "pipe", "ignore"]
      }
    )
    let found = ""
    child.stdout.setEncoding("utf8").on("data", (text) => {
      found += text
    })
    child.on("error", ({ message }) =>
      resume(Effect.succeed(makeNoticeFinding("database file", `Not checked: ${message}.`)))
    )
    child.on("close", () => {
      if (found === "") {
        resume(
          Effect.succeed(makeNoticeFinding("database file", "The check did not finish: it ended without a result."))
        )
        return
      }
      const { code, reason } = JSON.parse(found)
      resume(Effect.succeed(toFinding(filename, code, reason)))
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })
