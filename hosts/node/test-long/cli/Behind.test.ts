/** Tests that operators' commands refuse a database that is missing, has an older schema, or is not configured. */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Process from "../../test/support/Process.ts"

const id = "01900000-0000-7000-8000-000000000000"

const refused = async (cwd: string, args: ReadonlyArray<string>, env: Process.EnvironmentVariables = {}) => {
  const { code, stderr, stdout } = await Process.runCommand(cwd, args, env)
  expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: "" })
  expect(stderr).toMatch(/^DATABASE_URL [^\n]+\.\n$/)
  return stderr
}

const commands: ReadonlyArray<ReadonlyArray<string>> = [
  ["purge", "--dry-run"],
  ["purge"],
  ["org", "list"],
  ["org", "suspend", id],
  ["key", "list", "--org", id],
  ["license", "list", "--org", id],
  ["persona", "list"],
  ["webhook", "list", "--org", id],
  ["topic", "show", id],
  ["retry", "--all"],
  ["media", "retry", "--all"],
  ["creator", "erase", "--email", "ada@creators.test"]
]

const firsts: ReadonlyArray<ReadonlyArray<string>> = [
  ["org", "create", "--name", "Acme"],
  ["persona", "create", "--name", "Ada", "--creator-email", "ada@creators.test"]
]

const older = "DELETE FROM partner_commentary_migrations WHERE migration_id > 6"
const ids = "SELECT migration_id FROM partner_commentary_migrations ORDER BY migration_id"

describe.concurrent("a database of an older version", () => {
  it("every command refuses a database of an older version with one sentence, and does not migrate the database", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    await Process.runJsonCommand(cwd, ["migrate"])
    const file = join(cwd, "data", "partner-commentary.db")
    const database = new DatabaseSync(file)
    database.exec(older)
    const before = database.prepare(ids).all()
    database.close()
    const bytes = readFileSync(file)
    for (const args of [...commands, ...firsts]) {
      expect(await refused(cwd, args)).toMatch(
        /is unset, which means .* pending\); run partner-commentary migrate first/
      )
    }
    const doctor = await Process.runCommand(cwd, ["doctor"])
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toContain("are pending: run partner-commentary migrate.")
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(readdirSync(join(cwd, "data"))).toEqual(["partner-commentary.db"])
    const after = new DatabaseSync(file)
    expect(after.prepare(ids).all()).toEqual(before)
    after.close()
  })

  it("a command refuses a Postgres database of an older version without waiting for a running server", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = await OwnDatabase.makeEmptyDatabase(test)
    await Process.runJsonCommand(cwd, ["migrate"], env)
    await OwnDatabase.queryRows(env, older)
    const before = await OwnDatabase.queryRows(env, ids)
    for (const args of [["purge", "--dry-run"], ["org", "list"], ...firsts]) {
      expect(await refused(cwd, args, env)).toMatch(/pending\); run partner-commentary migrate first/)
    }
    expect((await Process.runCommand(cwd, ["doctor"], env)).stdout).toContain(
      "are pending: run partner-commentary migrate."
    )
    expect(await OwnDatabase.queryRows(env, ids)).toEqual(before)
  })
})

describe.concurrent("a missing database", () => {
  it("every command refuses a missing database, and no command creates the file", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    for (const args of commands)
      expect(await refused(cwd, args)).toContain("the file does not exist yet; run partner-commentary migrate")
    expect((await Process.runCommand(cwd, ["doctor"])).stdout).toContain("the file does not exist yet")
    expect(readdirSync(cwd)).toEqual([])
  })

  it("the commands that create the first organization or persona also create the database", async (test) => {
    for (const first of firsts) {
      const cwd = await Process.makeWorkingFolder(test)
      const { name } = await Process.runJsonCommand(cwd, first)
      expect(await Process.runJsonCommand(cwd, [first[0] ?? "", "list"])).toMatchObject([{ name }])
    }
  })

  it("the command that creates the first organization also creates the schema in an empty Postgres database, but not beside another application's tables", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = await OwnDatabase.makeEmptyDatabase(test)
    expect(await refused(cwd, ["org", "list"], env)).toContain("it is empty; run partner-commentary migrate first")
    await OwnDatabase.queryRows(env, "CREATE TABLE theirs (words TEXT)")
    const [create = []] = firsts
    expect(await refused(cwd, create, env)).toMatch(/its schema is older .*\d+ migrations are pending/)
    await OwnDatabase.queryRows(env, "DROP TABLE theirs")
    const { name } = await Process.runJsonCommand(cwd, create, env)
    expect(await Process.runJsonCommand(cwd, ["org", "list"], env)).toMatchObject([{ name }])
  })
})

describe.concurrent("an incomplete environment", () => {
  it("outside development no command uses the default file when DATABASE_URL is missing", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    await Process.runJsonCommand(cwd, ["migrate"])
    const given = [{ DEV: "false" }, { PUBLIC_URL: "https://partners.example.com" }]
    for (const env of given) {
      for (const args of [["purge", "--dry-run"], ["migrate"], ["org", "list"], ...firsts]) {
        expect(await refused(cwd, args, env)).toContain("DATABASE_URL must be set outside development")
      }
      const doctor = await Process.runCommand(cwd, ["doctor"], env)
      expect(doctor.code).toBe(1)
      expect(doctor.stdout).toContain("DATABASE_URL must be set outside development")
    }
    const named = { DEV: "false", DATABASE_URL: "sqlite:./data/partner-commentary.db" }
    expect(await Process.runJsonCommand(cwd, ["org", "list"], named)).toEqual([])
  })

  it("sh and systemd read all variables of an environment file whose values are quoted as documented", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const guide = readFileSync(new URL("../../../../docs/guides/deployment.md", import.meta.url), "utf8")
    const [, file = ""] = /```sh\n(DEV=[^`]+)```/.exec(guide) ?? []
    writeFileSync(join(cwd, "env"), file)
    // systemd does not interpret special characters inside single quotes.
    const meant = file
      .trim()
      .split("\n")
      .map((line) => /^(\w+)='([^'\\]*)'$/.exec(line)?.slice(1) ?? [line, "is not in single quotes"])
    const told = execFileSync("sh", ["-c", "set -a; . ./env; env"], { cwd, encoding: "utf8", env: {} }).split("\n")
    expect(meant.length).toBeGreaterThan(5)
    for (const [name, value] of meant) expect(told).toContain(`${name}=${value}`)
  })
})
