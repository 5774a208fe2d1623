/** Tests of the operator's webhook commands, which run in separate processes. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import * as Partner from "../support/Partner.ts"
import * as Process from "../support/Process.ts"

const unknown = "01900000-0000-7000-8000-000000000000"

describe("the `webhook` command", () => {
  it("the `webhook` command lists a partner's webhooks and enables a disabled webhook, and the partner sees the change", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { key, organization } = await Partner.registerPartner(cwd)
    const list = ["webhook", "list", "--org", organization.id]
    expect(await Process.runJsonCommand(cwd, list)).toEqual([])
    const service = await Process.startService(cwd)
    const wanted = { url: "https://192.0.2.1:8443/in", events: ["creator.approved"] }
    const refused = await Partner.callApi(service.apiRoot, key, "/webhooks", wanted)
    expect(refused).toMatchObject({ status: 400, body: { error: { details: { field: "url" } } } })
    const registered = await Partner.callApi(service.apiRoot, key, "/webhooks", {
      ...wanted,
      url: "https://1.1.1.1/in"
    })
    expect(registered.status).toBe(201)
    const { secret, ...webhook } = registered.body.data
    expect(secret).toMatch(/^whsec_/)
    const { circuit, held_count, ...stored } = webhook
    expect({ circuit, held_count }).toEqual({ circuit: { state: "closed", open_until: null }, held_count: 0 })
    const owner = { organization_id: organization.id, organization_name: "Acme Sports" }
    const listed = { ...stored, ...owner, environment: "live" }
    expect(await Process.runJsonCommand(cwd, list)).toEqual([
      { ...listed, deliveries_waiting: 0, oldest_waiting_since: null }
    ])
    const database = new DatabaseSync(join(cwd, "data", "partner-commentary.db"), { timeout: 10_000 })
    for (const [event, state, due, settled] of [
      ["019c0e5f-03aa-7001-8000-94d0b7f3a6e2", "pending", "2999-01-01T00:00:00.000Z", null],
      ["019c0e5f-03ab-7001-8000-94d0b7f3a6e2", "pending", "2999-01-01T00:00:00.000Z", null],
      ["019c0e5f-03a9-7001-8000-94d0b7f3a6e2", "failed", null, "2026-01-30T00:00:00.000Z"]
    ] as const) {
      database
        .prepare("INSERT INTO deliveries (webhook_id, event_id, state, due_at, settled_at) VALUES (?, ?, ?, ?, ?)")
        .run(webhook.id, event, state, due, settled)
    }
    const oldest = new Date(0x019c0e5f03aa).toISOString()
    expect(await Process.runJsonCommand(cwd, list)).toEqual([
      { ...listed, deliveries_waiting: 2, oldest_waiting_since: oldest }
    ])
    database.exec("UPDATE webhooks SET status = 'disabled', consecutive_failures = 23")
    expect((await Process.runCommand(cwd, list)).stdout).toMatch(/disabled +23 +never +https:\/\/1\.1\.1\.1\/in/)
    const enabled = await Process.runJsonCommand(cwd, ["webhook", "enable", webhook.id])
    expect(enabled).toMatchObject({ id: webhook.id, status: "active", consecutive_failures: 0 })
    expect((await Partner.callApi(service.apiRoot, key, "/webhooks")).body.data).toMatchObject([{ status: "active" }])
    const record = database.prepare("SELECT action, details FROM audit_log WHERE subject = ? ORDER BY number DESC")
    expect(record.get(webhook.id)).toEqual({
      action: "webhook.enabled",
      details: JSON.stringify({ by: "operator", changed: ["status", "consecutive_failures"] })
    })
    database.close()
    await service.stop()
    for (const args of [
      ["webhook", "enable", unknown],
      ["webhook", "list", "--org", unknown]
    ]) {
      const { code, stderr } = await Process.runCommand(cwd, args)
      expect([code, stderr.includes(unknown)]).toEqual([1, true])
    }
  })
})

describe("the `webhook reseal` command", () => {
  it("`webhook reseal` encrypts the webhook secrets with the new signing secret, so that the former signing secret can be removed", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { key } = await Partner.registerPartner(cwd)
    const [former, present] = ["the former signing secret", "the present signing secret"]
    const service = await Process.startService(cwd, ["serve"], { SIGNING_SECRET: former })
    await Partner.callApi(service.apiRoot, key, "/webhooks", { url: "https://1.1.1.1/", events: ["creator.approved"] })
    await service.stop()
    const reseal = (...secrets: ReadonlyArray<string>) =>
      Process.runCommand(cwd, ["webhook", "reseal", "--json"], { SIGNING_SECRET: secrets.join(",") })
    const early = await reseal(present)
    expect(early.code).toBe(1)
    expect(JSON.parse(early.stdout)).toMatchObject({ resealed: 0, lost: [expect.any(String)] })
    expect(early.stderr).toMatch(/^No entry of SIGNING_SECRET decrypts the secret of one webhook: [^\n]+\.\n$/)
    expect(JSON.parse((await reseal(present, former)).stdout)).toEqual({ resealed: 1, lost: [] })
    expect(JSON.parse((await reseal(present)).stdout)).toEqual({ resealed: 1, lost: [] })
    expect((await reseal(former)).code).toBe(1)
  })

  it("`webhook reseal` in production without SIGNING_SECRET is refused and generates no secret", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = { DATABASE_URL: "sqlite:./x.db", DEV: "false" }
    await Process.runJsonCommand(cwd, ["migrate"], env)
    const refused = await Process.runCommand(cwd, ["webhook", "reseal"], env)
    expect(refused).toMatchObject({ code: 1, stdout: "" })
    expect(refused.stderr).toMatch(/^SIGNING_SECRET must be set outside development: [^\n]+\n$/)
    expect(existsSync(join(cwd, "data"))).toBe(false)
  })

  it("`doctor` suggests `webhook reseal` if the secrets of one or several webhooks cannot be decrypted", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { key } = await Partner.registerPartner(cwd)
    const service = await Process.startService(cwd)
    const register = (url: string) =>
      Partner.callApi(service.apiRoot, key, "/webhooks", { url, events: ["creator.approved"] })
    await register("https://1.1.1.1/")
    const told = async (env: Process.EnvironmentVariables = {}) => {
      const { stdout } = await Process.runCommand(cwd, ["doctor", "--json"], env)
      const found = JSON.parse(stdout).findings.filter(({ check }: { check: string }) => check === "webhooks")
      expect(found).toHaveLength(1)
      return found[0]
    }
    expect(await told()).toMatchObject({ state: "ok" })
    const other = { SIGNING_SECRET: "another secret that nothing was sealed under" }
    expect(await told(other)).toMatchObject({
      state: "mend",
      count: 1,
      message: expect.stringMatching(/^No entry of SIGNING_SECRET decrypts the secret of one webhook, .*webhook reseal/)
    })
    await register("https://1.1.1.1/second")
    expect(await told(other)).toMatchObject({
      count: 2,
      message: expect.stringMatching(/^No entry of SIGNING_SECRET decrypts the secrets of 2 webhooks, /)
    })
    await service.stop()
    expect((await Process.runCommand(cwd, ["webhook", "reseal"])).stdout).toContain("the secrets of 2 webhooks")
    const database = new DatabaseSync(join(cwd, "data", "partner-commentary.db"))
    database.exec("DELETE FROM webhooks WHERE url LIKE '%second'")
    database.close()
    expect((await Process.runCommand(cwd, ["webhook", "reseal"])).stdout).toContain("the secret of one webhook")
  })
})
