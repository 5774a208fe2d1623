/** Tests that /readyz, the log and doctor report within seconds that a database accepts no writes. */
import { closeSync, existsSync, openSync, renameSync, writeSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Process from "../../test/support/Process.ts"

const asked = async (apiRoot: string) => {
  const response = await fetch(`${apiRoot}/readyz`)
  return { status: response.status, body: await response.json() }
}

const unavailable = (reason: RegExp) => ({
  status: 503,
  body: { success: true, data: { status: "unavailable", reason: expect.stringMatching(reason) } }
})

const eventually = (apiRoot: string, status: number) =>
  Process.pollUntil(
    () => asked(apiRoot),
    (answer) => answer.status === status
  )

const file = { DATABASE_URL: "sqlite:./service.db", DEV: "true" }

/** Outside development, the settings require a mail server and a signing secret. */
const production = {
  DEV: "false",
  SMTP_URL: "smtp://127.0.0.1:9",
  SIGNING_SECRET: "a-secret-that-only-this-test-knows"
}

describe("a database that accepts no writes", () => {
  it("the service logs that its SQLite file was moved away; /readyz returns 503 and database_up is 0 until the file is back", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { apiRoot, stderr } = await Process.startService(cwd, ["serve"], { ...file, ADMIN_PORT: "0" })
    const metrics = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(stderr())?.[0] ?? ""
    const isUp = (value: number) =>
      Process.pollUntil(
        async () => (await fetch(metrics)).text(),
        (text) => text.includes(`\npartner_commentary_database_up ${value}\n`)
      )
    expect(await asked(apiRoot)).toMatchObject({ status: 200 })
    await isUp(1)
    renameSync(join(cwd, "service.db"), join(cwd, "away.db"))
    await Process.pollUntil(
      async () => stderr(),
      (text) => text.includes("The database file was moved")
    )
    expect(await isUp(0), "reads still succeed").toContain("partner_commentary_deliveries_due 0")
    expect(await asked(apiRoot)).toEqual(unavailable(/^The database file was moved, replaced or deleted/))
    const doctor = await Process.runCommand(cwd, ["doctor"], file)
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toContain("the file does not exist yet")
    renameSync(join(cwd, "away.db"), join(cwd, "service.db"))
    await eventually(apiRoot, 200)
    await isUp(1)
    await Process.pollUntil(
      async () => stderr(),
      (text) => text.includes("The database accepts writes again")
    )
  })

  it("/readyz reports that the disk refuses writes to the SQLite file, even if reads still succeed", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    await Process.runJsonCommand(cwd, ["migrate"], file)
    // A file size limit of 100 KiB simulates a full disk: the write-ahead log cannot grow beyond this size.
    const { apiRoot } = await Process.startServiceProcess(cwd, ["serve"], file, "ulimit -f 200")
    await eventually(apiRoot, 503)
    expect(await asked(apiRoot)).toEqual(unavailable(/^The database's disk (is full|fails)/))
    expect((await fetch(`${apiRoot}/partner/v1/personas`)).status).toBe(401)
  })

  it("/readyz reports a Postgres database that became read-only, until the database accepts writes again", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = await OwnDatabase.makeEmptyDatabase(test)
    const { apiRoot, stderr } = await Process.startService(cwd, ["serve"], env)
    const database = new URL(env["DATABASE_URL"] ?? "").pathname.slice(1)
    const administer = (statement: string) => {
      const own = new URL(env["DATABASE_URL"] ?? "")
      own.pathname = "/postgres"
      return OwnDatabase.queryRows({ DATABASE_URL: own.href }, statement)
    }
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`
    await administer(`ALTER DATABASE ${database} SET default_transaction_read_only = on`)
    await administer(cut)
    await Process.pollUntil(
      async () => stderr(),
      (text) => text.includes("The database is read-only")
    )
    expect(await eventually(apiRoot, 503)).toEqual(unavailable(/^The database is read-only/))
    expect((await Process.runCommand(cwd, ["doctor"], env)).code).toBe(1)
    await administer(`ALTER DATABASE ${database} RESET default_transaction_read_only`)
    await eventually(apiRoot, 200)
  })
})

describe("a missing SQLite file", () => {
  const env = { DATABASE_URL: "sqlite:./service.db", PUBLIC_URL: "https://partners.example.test", ...production }

  it("a missing SQLite file outside development stops every command except migrate with one sentence, and no command creates the file", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const create = ["org", "create", "--name", "Acme"]
    for (const args of [["serve"], ["worker"], ["org", "list"], create, ["purge", "--dry-run"], ["doctor"]]) {
      const outcome = await Process.runCommand(cwd, args, { ...env, PORT: "0", LOG_LEVEL: "warn" })
      expect(outcome.code).toBe(1)
      expect(outcome.stdout + outcome.stderr).toContain(
        "the file does not exist: mount its volume or restore it; run partner-commentary migrate only for a new installation"
      )
      expect(outcome.stdout).not.toContain("corrupt")
      expect(existsSync(join(cwd, "service.db"))).toBe(false)
    }
    expect((await Process.runCommand(cwd, ["migrate"], env)).code).toBe(0)
    const { stop } = await Process.startService(cwd, ["serve"], env)
    expect(await stop()).toMatchObject({ code: 0 })
  })
})

it("`doctor` reports a SQLite file with a corrupt page even if no request has read that page", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  await Process.runJsonCommand(cwd, ["migrate"], file)
  const sound = JSON.parse((await Process.runCommand(cwd, ["doctor", "--json"], file)).stdout)
  expect(sound.findings).toContainEqual({ check: "database file", state: "ok", message: "Its pages are intact." })
  const path = join(cwd, "service.db")
  const database = new DatabaseSync(path)
  const [root] = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'redeliveries'").all()
  database.close()
  const page = 4096
  const descriptor = openSync(path, "r+")
  writeSync(descriptor, Buffer.alloc(page, 0xff), 0, page, (Number(root?.["rootpage"]) - 1) * page)
  closeSync(descriptor)
  const doctor = await Process.runCommand(cwd, ["doctor", "--json"], file)
  expect(doctor.code).toBe(1)
  expect(JSON.parse(doctor.stdout).findings).toContainEqual({
    check: "database file",
    state: "mend",
    message: expect.stringContaining("is corrupt")
  })
})
