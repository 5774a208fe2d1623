/** Whether the pages of a SQLite file are sound: SQLite's `quick_check`, in a process of its own, for nothing can break it off within one. */
import { spawn } from "node:child_process"
import { isPostgres } from "@partner-commentary/settings/DatabaseSettings"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { type Finding, mend, notice, ok } from "./Doctor.ts"

/** Within the doctor's own bound. */
const timeout = Duration.seconds(3)

const script = `const { DatabaseSync } = require("node:sqlite")
const [row] = new DatabaseSync(process.argv[1], { readOnly: true }).prepare("PRAGMA quick_check(1)").all()
process.stdout.write(row.quick_check)`

/** Nothing for a database that is no file, or not there. */
export const examine = ({ database }: Settings): Effect.Effect<ReadonlyArray<Finding>> => {
  if (isPostgres(database) || database.filename === ":memory:") return Effect.succeed([])
  const { filename } = database
  return Effect.map(
    Effect.timeoutOrElse(checked(filename), {
      duration: timeout,
      orElse: () =>
        Effect.succeed(
          notice(
            "database file",
            `Not tried to the end: a check of ${filename} takes more than ${Duration.format(timeout)}. Run sqlite3 ${filename} "PRAGMA integrity_check" now and then.`
          )
        )
    }),
    (finding) => [finding]
  )
}

const checked = (filename: string) =>
  Effect.callback<Finding>((resume) => {
    const child = spawn(process.execPath, ["--no-warnings", "-e", script, filename], {
      stdio: ["ignore", "pipe", "pipe"]
    })
    let found = ""
    let failed = ""
    child.stdout.setEncoding("utf8").on("data", (text) => {
      found += text
    })
    child.stderr.setEncoding("utf8").on("data", (text) => {
      failed += text
    })
    child.on("error", ({ message }) => resume(Effect.succeed(notice("database file", `Not tried: ${message}.`))))
    child.on("close", () => {
      const reason =
        found === "" ? (/^(?:Error: )(.*)$/m.exec(failed)?.[1] ?? "the check ended without an answer") : found
      resume(
        Effect.succeed(
          reason === "ok"
            ? ok("database file", "Its pages are sound.")
            : mend(
                "database file",
                `${filename} is corrupt (${reason.split("\n")[0]}): stop everything, and restore the last backup.`
              )
        )
      )
    })
    return Effect.sync(() => child.kill("SIGKILL"))
  })
