/**
 * Tests that the doctor reports a SQLite file as corrupt only if SQLite reports damage. A false report of corruption
 * would make operators replace an intact file with a backup.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Settings from "@partner-commentary/settings/Settings"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { checkFileIntegrity } from "../../src/doctor/FileIntegrity.ts"
import * as Process from "../../test/support/Process.ts"

const checkFile = async (file: string) => {
  const provider = ConfigProvider.fromEnvRecord({ DATABASE_URL: `sqlite:${file}`, DEV: "true" })
  const settings = Effect.provideService(Settings.readSettings, ConfigProvider.ConfigProvider, provider)
  const [finding] = await Effect.runPromise(Effect.flatMap(settings, checkFileIntegrity))
  return finding
}

const made = (file: string) => {
  const database = new DatabaseSync(file)
  database.exec("CREATE TABLE words (word TEXT)")
  return database
}

describe.concurrent("the check of a SQLite file", () => {
  it("the check of a SQLite file reports an intact file as intact, and reports a text file as corrupt", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const sound = join(cwd, "sound.db")
    made(sound).close()
    expect(await checkFile(sound)).toMatchObject({ state: "ok" })
    const text = join(cwd, "text.db")
    writeFileSync(text, "This is a letter, and no database.\n".repeat(200))
    expect(await checkFile(text)).toMatchObject({ state: "mend", message: expect.stringContaining("is corrupt") })
  })

  it("the check of a SQLite file does not report a missing file or a locked file as corrupt", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const missing = await checkFile(join(cwd, "missing.db"))
    expect(missing).toMatchObject({ state: "notice", message: "Not checked: unable to open database file." })
    const file = join(cwd, "locked.db")
    const holder = made(file)
    holder.exec("BEGIN EXCLUSIVE")
    const locked = await checkFile(file)
    holder.close()
    expect(locked).toMatchObject({ state: "notice", message: "Not checked: database is locked." })
  })

  it("the check of a SQLite file reports why a path cannot be opened, and does not report the file as corrupt", async (test) => {
    const folder = await checkFile(await Process.makeWorkingFolder(test))
    expect(folder).toMatchObject({ state: "notice", message: "Not checked: unable to open database file." })
    expect(folder?.message).not.toContain("corrupt")
  })
})
