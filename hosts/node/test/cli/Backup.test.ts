/**
 * Tests that a backup made during writes contains all writes that were acknowledged before the backup began. A service
 * must be able to run on the backup.
 */
import { readdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import * as OwnDatabase from "../support/OwnDatabase.ts"
import * as Partner from "../support/Partner.ts"
import * as Process from "../support/Process.ts"

const env = { DATABASE_URL: "sqlite:./service.db", DEV: "true" }

describe("backup", () => {
  it("a backup contains all acknowledged writes although a server keeps writing, and a service runs on the copy", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { apiRoot, stop } = await Process.startService(cwd, ["serve"], env)
    const { key, organization, persona } = await Partner.registerPartner(cwd, env)
    await Process.runJsonCommand(cwd, ["org", "update", organization.id, ...Partner.highLimitFlags], env)
    const requests: Array<string> = []
    let isOver = false
    const writing = (async () => {
      while (!isOver) requests.push(await Partner.submitTopic(apiRoot, key, persona.id))
    })()
    await Process.pollUntil(
      async () => requests.length,
      (length) => length >= 5
    )
    const before = [...requests]
    const made = JSON.parse((await Process.spawnCommand(cwd, ["backup", "./copy.db", "--json"], env)).stdout)
    const during = requests.length
    await Process.pollUntil(
      async () => requests.length,
      (length) => length > during
    )
    isOver = true
    await writing
    await stop()
    expect(made).toEqual({ file: "./copy.db", bytes: statSync(join(cwd, "copy.db")).size })
    expect(statSync(join(cwd, "copy.db")).mode & 0o777).toBe(0o600)
    expect(readdirSync(cwd).filter((name) => name.startsWith("copy.db"))).toEqual(["copy.db"])
    const restored = await Process.startService(cwd, ["serve"], { ...env, DATABASE_URL: "sqlite:./copy.db" })
    const copy = new DatabaseSync(join(cwd, "copy.db"), { readOnly: true })
    const ids = copy.prepare("SELECT id FROM assignments").all()
    copy.close()
    expect(ids.map(({ id }) => id)).toEqual(expect.arrayContaining(before))
    await Partner.submitTopic(restored.apiRoot, key, persona.id)
  })

  it("the `backup` command refuses an existing file and does not change the file", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    await Process.runJsonCommand(cwd, ["migrate"], env)
    writeFileSync(join(cwd, "mine"), "words")
    const refused = await Process.runCommand(cwd, ["backup", "mine"], env)
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: "mine already exists: choose a new file.\n" })
    expect(statSync(join(cwd, "mine")).size).toBe(5)
  })

  it("the error of the `backup` command contains the target folder if the folder is missing, is a file or is not writable", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    await Process.runJsonCommand(cwd, ["migrate"], env)
    writeFileSync(join(cwd, "mine"), "words")
    for (const [file, sentence] of [
      ["/nodir/x", "The folder /nodir does not exist."],
      ["mine/x", "mine is not a folder."],
      ["/sys/x", "The folder /sys cannot be written to: EACCES."]
    ] as const) {
      const refused = await Process.runCommand(cwd, ["backup", file], env)
      expect(refused).toMatchObject({ code: 1, stdout: "" })
      // A container may have mounted `/sys` read-only.
      expect(refused.stderr.replace("EROFS", "EACCES")).toBe(`${sentence}\n`)
    }
  })

  it("the `backup` command refuses a Postgres database and suggests pg_dump", async (test) => {
    const refused = await Process.runCommand(
      await Process.makeWorkingFolder(test),
      ["backup", "x.db"],
      await OwnDatabase.makeEmptyDatabase(test)
    )
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toMatch(/^The database is on Postgres: back it up with pg_dump[^\n]+\.\n$/)
  })
})
