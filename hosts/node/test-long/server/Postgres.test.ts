/** Tests of the Node host on Postgres, with several processes. */
import { describe, expect, it } from "vitest"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

describe("the Node host on Postgres", () => {
  it("the Node host on Postgres starts from an empty database, works beside other processes, and `doctor` reports problems", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = await OwnDatabase.makeEmptyDatabase(test)
    const server = await Process.startService(cwd, ["serve", "--no-worker"], env)
    expect(server.stdout()).toBe(`ready ${server.apiRoot}\n`)
    expect((await fetch(`${server.apiRoot}/readyz`)).status).toBe(200)
    const { key, organization, persona } = await Partner.registerPartner(cwd, env)
    const shareId = await Partner.submitTopic(server.apiRoot, key, persona.id)
    expect(shareId).toMatch(/^[0-9a-f-]{36}$/)
    const worker = await Process.startServiceProcess(cwd, ["worker"], {
      ...env,
      PORT: String(new URL(server.apiRoot).port),
      PUBLIC_URL: server.apiRoot
    })
    const outbox = () => fetch(`${server.apiRoot}/dev/outbox`).then((response) => response.text())
    await Process.pollUntil(outbox, (text) => text.includes("ada@creators.test"))
    const other = await Process.startServiceProcess(cwd, ["serve"], env)
    expect((await Partner.callApi(other.apiRoot, key, "/topics")).body.pagination.total).toBe(1)
    expect(await Process.runJsonCommand(cwd, ["migrate"], env)).toEqual({ applied: [] })
    expect(await Process.runJsonCommand(cwd, ["org", "list"], env)).toMatchObject([{ id: organization.id }])
    expect((await Process.runJsonCommand(cwd, ["purge", "--dry-run"], env)).mails).toBe(0)
    const findings = (await Process.runJsonCommand(cwd, ["doctor"], env)).findings
    expect(findings).toContainEqual(
      expect.objectContaining({ check: "database", state: "ok", message: expect.stringContaining(", database test_") })
    )
    for (const { stop } of [worker, other, server]) expect(await stop()).toMatchObject({ code: 0 })
  })

  it("`doctor` and each worker loop report a database that answers reads but accepts no writes", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = await OwnDatabase.makeEmptyDatabase(test)
    await Process.runJsonCommand(cwd, ["migrate"], env)
    const [place] = await OwnDatabase.queryRows(env, "SELECT current_database() AS name")
    await OwnDatabase.queryRows(env, `ALTER DATABASE ${place?.["name"]} SET default_transaction_read_only = on`)
    const doctor = await Process.runCommand(cwd, ["doctor", "--json"], env)
    expect(doctor.code).toBe(1)
    expect(JSON.parse(doctor.stdout).findings).toContainEqual({
      check: "database",
      state: "mend",
      message: expect.stringMatching(/ The database takes no writes from this role: transaction_read_only is on\. /)
    })
    const server = await Process.startService(cwd, ["serve"], { ...env, LOG_FORMAT: "json" })
    expect((await fetch(`${server.apiRoot}/readyz`)).status).toBe(503)
    const told = () =>
      Promise.resolve(
        server
          .stderr()
          .split("\n")
          .filter((line) => line.includes("round of work failed"))
      )
    const [line = ""] = await Process.pollUntil(told, (lines) => lines.length > 0)
    expect(JSON.parse(line).annotations.reason).toMatch(/^cannot execute [A-Z ]+ in a read-only transaction$/)
  })

  it("behind a connection pooler, `doctor` checks the service's database role, and reports if the address in DATABASE_DIRECT_URL fails", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = await OwnDatabase.makeEmptyDatabase(test)
    const direct = env["DATABASE_URL"] ?? ""
    await Process.runJsonCommand(cwd, ["migrate"], env)
    const role = `reads_${new URL(direct).pathname.slice(1)}`
    await OwnDatabase.queryRows(env, `CREATE ROLE ${role} LOGIN PASSWORD 'x'`)
    test.onTestFinished(async () => {
      await OwnDatabase.queryRows(env, `DROP OWNED BY ${role}`)
      await OwnDatabase.queryRows(env, `DROP ROLE ${role}`)
    })
    await OwnDatabase.queryRows(env, `GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role}`)
    const url = new URL(direct)
    url.username = role
    url.password = "x"
    const doctor = async (way: string) => {
      const given = { ...env, DATABASE_URL: url.href, DATABASE_DIRECT_URL: way }
      const { stdout } = await Process.runCommand(cwd, ["doctor", "--json"], given)
      return JSON.parse(stdout).findings.find(({ check }: { check: string }) => check === "database")
    }
    expect(await doctor(direct)).toMatchObject({
      state: "mend",
      message: expect.stringContaining(`The role ${role} lacks privileges: DELETE ON api_keys;`)
    })
    await OwnDatabase.queryRows(env, `GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`)
    expect(await doctor(direct)).toMatchObject({ state: "ok" })
    expect(await doctor("postgres://u@127.0.0.1:1/x")).toMatchObject({
      state: "mend",
      message: expect.stringMatching(/^DATABASE_DIRECT_URL cannot be used as a database: .*ECONNREFUSED/)
    })
  })

  it("`migrate`, `serve`, `worker` and `doctor` refuse a DATABASE_DIRECT_URL that leads to another database", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const other = await OwnDatabase.makeEmptyDatabase(test)
    const own = await OwnDatabase.makeEmptyDatabase(test)
    const env = { ...own, DATABASE_DIRECT_URL: other["DATABASE_URL"] ?? "" }
    const name = new URL(own["DATABASE_URL"] ?? "").pathname.slice(1)
    const refusal = new RegExp(
      `^DATABASE_DIRECT_URL must lead to the same database as DATABASE_URL \\(.* database ${name}\\), but leads to another\\.$`
    )
    for (const command of ["migrate", "serve", "worker"]) {
      const { code, stderr } = await Process.runCommand(cwd, [command], {
        ...env,
        PORT: "0",
        PUBLIC_URL: "http://x.test"
      })
      expect({ command, code, last: stderr.trim().split("\n").at(-1) }).toEqual({
        command,
        code: 1,
        last: expect.stringMatching(refusal)
      })
    }
    const doctor = await Process.runCommand(cwd, ["doctor", "--json"], env)
    expect(JSON.parse(doctor.stdout).findings).toContainEqual({
      check: "database",
      state: "mend",
      message: expect.stringMatching(refusal)
    })
    const [tables] = await OwnDatabase.queryRows(
      other,
      "SELECT COUNT(*) AS count FROM pg_tables WHERE schemaname = 'public'"
    )
    expect(tables).toEqual({ count: 0 })
  })

  it("`serve` with a wrong database address exits with code 1 and prints one sentence without the password", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = await OwnDatabase.makeEmptyDatabase(test)
    const wrong = (change: (url: URL) => void) => {
      const url = new URL(env["DATABASE_URL"] ?? "")
      url.password = "hunter2"
      change(url)
      return url.href
    }
    const unreachable = wrong((url) => {
      url.port = "1"
    })
    const unknown = wrong((url) => {
      url.pathname = "/nowhere"
    })
    const stranger = wrong((url) => {
      url.username = "somebody"
    })
    for (const DATABASE_URL of [unreachable, unknown, stranger]) {
      for (const args of [["serve"], ["migrate"], ["org", "list"]]) {
        const { code, stderr, stdout } = await Process.runCommand(cwd, args, {
          ...env,
          DATABASE_URL,
          LOG_LEVEL: "error"
        })
        expect(code).toBe(1)
        expect(stdout).toBe("")
        expect(stderr).toMatch(/^DATABASE_URL points at [^\n]+ port \d+, database \w+: [^\n]+\.\n$/)
        expect(stderr).not.toContain("hunter2")
      }
    }
    const doctor = await Process.runCommand(cwd, ["doctor", "--json"], { ...env, DATABASE_URL: unreachable })
    expect(doctor.code).toBe(1)
    expect(JSON.parse(doctor.stdout).findings).toContainEqual(
      expect.objectContaining({ check: "database", state: "mend", message: expect.stringContaining("ECONNREFUSED") })
    )
  })
})
