import { readdir, stat } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as Outbox from "../../test/support/Outbox.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

describe("the `serve` command", () => {
  it("KEEP_ALIVE_TIMEOUT sets how long an idle connection stays open", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { apiRoot } = await Process.startService(cwd, ["serve"], { KEEP_ALIVE_TIMEOUT: "9 seconds" })
    expect((await fetch(`${apiRoot}/healthz`)).headers.get("keep-alive")).toBe("timeout=9")
  })

  it("`serve` fails with a one-sentence error if its port is in use", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { apiRoot } = await Process.startService(cwd)
    const outcome = await Process.runCommand(cwd, ["serve"], { PORT: new URL(apiRoot).port })
    expect(outcome).toMatchObject({ code: 1, stdout: "" })
    expect(outcome.stderr).toMatch(/^PORT must name a free port/m)
    expect(outcome.stderr).not.toContain("Stopped")
  })

  it("`serve` makes its data and the signing secret readable only for the user that runs the process", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { stop } = await Process.startServiceProcess(cwd)
    await stop()
    const mode = async (path: string) => (await stat(join(cwd, "data", path))).mode & 0o777
    expect(await mode(".")).toBe(0o700)
    expect(await mode("outbox")).toBe(0o700)
    expect(await mode("signing-secret")).toBe(0o600)
  })

  it("two servers that start at the same time, before the database exists, share one secret and one demo organization", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const servers = await Promise.all([Process.startServiceProcess(cwd), Process.startServiceProcess(cwd)])
    const introduced = servers.filter(({ stdout }) => stdout().includes("pk_live_"))
    expect(introduced).toHaveLength(1)
    expect(await readdir(join(cwd, "data"))).not.toContainEqual(expect.stringMatching(/^\./))
    expect(await Process.runJsonCommand(cwd, ["org", "list"])).toHaveLength(1)
    const key = /pk_live_\w+/.exec(introduced[0]!.stdout())![0]
    for (const { apiRoot } of servers) expect((await Partner.callApi(apiRoot, key, "/personas")).status).toBe(200)
    for (const { stop } of servers) expect(await stop()).toMatchObject({ code: 0 })
  })

  it("commands work while `serve` runs, and a command's changes apply from the next request on", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { apiRoot } = await Process.startService(cwd)
    const { key, keyId, organization, persona } = await Partner.registerPartner(cwd)
    expect((await Partner.callApi(apiRoot, key, "/personas")).body.data).toMatchObject([{ id: persona.id }])
    await Process.runJsonCommand(cwd, ["license", "revoke", "--org", organization.id, "--persona", persona.id])
    expect((await Partner.callApi(apiRoot, key, "/personas")).body.data).toEqual([])
    await Process.runJsonCommand(cwd, ["key", "revoke", keyId])
    const refused = await Process.pollUntil(
      () => Partner.callApi(apiRoot, key, "/personas"),
      ({ status }) => status === 401
    )
    expect(refused.body.error.code).toBe("key_revoked")
  })

  it("`serve` starts on an IPv6 address, and prints no outbox URL if a mail server is configured", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { apiRoot, stdout } = await Process.startService(cwd, ["serve"], {
      HOST: "::1",
      SMTP_URL: "smtp://desk:hunter2@127.0.0.1:9"
    })
    expect(apiRoot).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect(stdout()).toContain("pk_live_")
    expect(stdout()).not.toContain("/dev/outbox")
    expect(stdout()).toContain("change-email --from ada@creators.localhost")
  })
})

describe("the `retry`, `mail` and `creator` commands", () => {
  it("an operator can restart a failed draft, resend a mail, and change or erase a creator's address", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    let isGood = false
    const generator = createServer((_request, response) => {
      response.writeHead(isGood ? 200 : 401, { "content-type": "application/json" })
      const content = "A commentary about the derby, as the creator sees it. ".repeat(3)
      response.end(
        JSON.stringify(
          isGood ? { choices: [{ finish_reason: "stop", message: { role: "assistant", content } }] } : { error: {} }
        )
      )
    })
    await new Promise<void>((resolve) => generator.listen(0, "127.0.0.1", resolve))
    test.onTestFinished(() => void generator.close())
    const { port } = generator.address() as AddressInfo
    const server = await Process.startService(cwd, ["serve"], {
      GENERATOR_URL: `http://127.0.0.1:${port}/v1`,
      GENERATOR_MODEL: "any",
      WORKER_POLL_INTERVAL: "50 millis"
    })
    const { key, persona } = Partner.readDemoCredentials(server)
    const shareId = await Partner.submitTopic(server.apiRoot, key, persona.id)

    expect(await Process.runCommand(cwd, ["retry", shareId])).toMatchObject({ code: 1 })
    expect(await Process.runJsonCommand(cwd, ["mail", "resend", shareId])).toEqual({
      share_id: shareId,
      mail: "request"
    })
    const move = ["creator", "change-email", "--from", "ADA@creators.localhost", "--to", "ada@new.test"]
    expect(await Process.runJsonCommand(cwd, move)).toEqual({ personas: 1, assignments: 1 })
    expect(await Process.runCommand(cwd, move)).toMatchObject({ code: 1 })

    const moved = await Process.pollUntil(
      () => Outbox.readOutbox(cwd),
      (texts) => texts.some((text) => text.includes("ada@new.test"))
    )
    const text = moved.find((mail) => mail.includes("ada@new.test"))!.replaceAll("=\r\n", "")
    const link = /http:\/\/[^\s"]+\/creator\/[\w.-]+/.exec(text)![0]
    const respond = await fetch(`${link}/respond`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ perspective: "The home side, because of its midfield." })
    })
    expect(respond.status).toBe(200)

    const doctor = () => Process.runCommand(cwd, ["doctor"])
    const stalled = await Process.pollUntil(doctor, ({ stdout }) => stdout.includes(`retry ${shareId}`))
    expect(stalled.code).toBe(1)
    isGood = true
    expect(await Process.runJsonCommand(cwd, ["retry", shareId])).toMatchObject({
      share_id: shareId,
      status: "opinion_injected"
    })
    const view = async () => (await fetch(link, { headers: { accept: "application/json" } })).json()
    await Process.pollUntil(view, (answer) => answer.data.status === "commentary_generated")

    expect(await Process.runJsonCommand(cwd, ["creator", "erase", "--email", "ada@new.test"])).toEqual({
      personas: 1,
      assignments: 1
    })
    const silent = await doctor()
    expect(silent.code).toBe(1)
    expect(silent.stdout).toContain(`persona update ${persona.id} --creator-email`)
  })
})
