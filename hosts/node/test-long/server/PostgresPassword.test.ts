/**
 * Tests that PGPASSWORD is the password for database addresses without a password. PGPASSWORD contains the password
 * without percent-encoding.
 */
import * as Settings from "@partner-commentary/settings/Settings"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Process from "../../test/support/Process.ts"

/** A password with special characters, which must be percent-encoded in a URL. */
const password = "a/b#c?d%25e@f:g&h+i =$j'k\"l\\m"

const addresses = async (env: Record<string, string>) => {
  const settings = Effect.provideService(
    Settings.readSettings,
    ConfigProvider.ConfigProvider,
    ConfigProvider.fromEnvRecord({ PGPASSWORD: password, ...env })
  )
  const { database } = await Effect.runPromise(settings)
  if (!("url" in database)) throw new Error("SQLite")
  return {
    url: new URL(Redacted.value(database.url)),
    direct: Option.map(database.directUrl, (url) => new URL(Redacted.value(url))),
    told: database.told
  }
}

describe("the variable PGPASSWORD", () => {
  it("PGPASSWORD is the password of both database addresses if the addresses contain no password, including socket addresses", async () => {
    const { direct, told, url } = await addresses({
      DATABASE_URL: "postgres://u@db.example.com/desk?sslmode=require",
      DATABASE_DIRECT_URL: "postgres:///desk?host=/var/run/postgresql&user=u"
    })
    expect(url.searchParams.get("password")).toBe(password)
    expect(url.searchParams.get("sslmode")).toBe("require")
    expect(Option.getOrThrow(direct).searchParams.get("password")).toBe(password)
    expect(told).toBe("db.example.com port 5432, database desk")
  })

  it("PGPASSWORD does not replace a password in the database address", async () => {
    for (const address of ["postgres://u:own@db/x", "postgres://u@db/x?password=own"]) {
      expect((await addresses({ DATABASE_URL: address })).url.href).toBe(address)
    }
  })

  it("PGPASSWORD lets every process connect to a database whose password has special characters", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = await OwnDatabase.makeEmptyDatabase(test)
    const url = new URL(env["DATABASE_URL"] ?? "")
    // The test database server requires a password only from roles whose name starts with `guarded`.
    const role = `guarded_${url.pathname.slice(1)}`
    await OwnDatabase.queryRows(env, `CREATE ROLE ${role} SUPERUSER LOGIN PASSWORD '${password.replaceAll("'", "''")}'`)
    test.onTestFinished(async () => {
      await OwnDatabase.queryRows(env, `REASSIGN OWNED BY ${role} TO CURRENT_USER`)
      await OwnDatabase.queryRows(env, `DROP ROLE ${role}`)
    })
    url.username = role
    const given = { ...env, DATABASE_URL: url.href }
    const refused = await Process.runCommand(cwd, ["migrate"], { ...given, PGPASSWORD: "another" })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("password authentication failed") })
    expect((await Process.runJsonCommand(cwd, ["migrate"], { ...given, PGPASSWORD: password })).applied).not.toEqual([])
    const server = await Process.startService(cwd, ["serve"], { ...given, PGPASSWORD: password })
    expect((await fetch(`${server.apiRoot}/readyz`)).status).toBe(200)
    const { code, stderr } = await server.stop()
    expect(code).toBe(0)
    expect(stderr).not.toContain(password.slice(0, 5))
  })
})
