import { existsSync } from "node:fs"
import { type AddressInfo, connect } from "node:net"
import { join } from "node:path"
import { SMTPServer } from "smtp-server"
import { describe, expect, it } from "vitest"
import * as Outbox from "../support/Outbox.ts"
import * as Partner from "../support/Partner.ts"
import * as Process from "../support/Process.ts"

const secrets = { SIGNING_SECRET: "a-secret-that-only-this-test-knows-of" }

describe("the `serve` command", () => {
  it("`serve` prints the demo organization only at the first start, and prints a line when the server listens", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const first = await Process.startServiceProcess(cwd)
    expect(first.stdout().split("\n")).toContain(`ready ${first.apiRoot}`)
    expect(first.apiRoot).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/)
    const key = /pk_live_\w+/.exec(first.stdout())?.[0] ?? ""
    const personas = await Partner.callApi(first.apiRoot, key, "/personas")
    expect(personas.body.data).toHaveLength(3)
    for (const { id } of personas.body.data) expect(first.stdout()).toContain(id)
    expect(first.stderr()).not.toContain(key)
    expect(await (await fetch(`${first.apiRoot}/dev/outbox`)).text()).toContain("No mail")
    expect(await first.stop()).toMatchObject({ code: 0 })
    const second = await Process.startServiceProcess(cwd)
    expect(second.stdout()).toBe(`ready ${second.apiRoot}\n`)
    expect(await second.stop("SIGINT")).toMatchObject({ code: 0 })
  })

  it("`serve` finishes the running request after a stop signal", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { apiRoot, stdout, stop } = await Process.startServiceProcess(cwd)
    const { port } = new URL(apiRoot)
    const key = /pk_live_\w+/.exec(stdout())?.[0]
    const socket = connect(Number(port), "127.0.0.1").setEncoding("utf8")
    let answer = ""
    socket.on("data", (text) => {
      answer += text
    })
    const closed = new Promise((resolve) => socket.on("close", resolve))
    const head = `POST /partner/v1/topics HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n`
    // One packet contains both the request for /healthz and the topic request, so the response to /healthz shows that
    // the topic request has started.
    socket.write(`GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n${head}content-length: 2\r\n\r\n{`)
    await Process.pollUntil(
      async () => answer,
      (text) => /^HTTP\/1\.1 200 [\s\S]*\r\n\r\n/.test(text)
    )
    const ended = stop()
    const isRefused = () =>
      fetch(`${apiRoot}/healthz`).then(
        () => false,
        () => true
      )
    await Process.pollUntil(isRefused, (refused) => refused)
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"])
    socket.write("}")
    await closed
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 400"])
    expect(await ended).toMatchObject({ code: 0 })
  })

  it("outside development `serve` sends mails through the mail server, and writes no file beside the database", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const received: Array<string> = []
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onData: (stream, _session, done) => {
        stream.setEncoding("utf8").on("data", (text) => received.push(text))
        stream.on("end", () => done())
      }
    })
    await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve))
    test.onTestFinished(() => new Promise<void>((resolve) => smtp.close(resolve)))
    const { port } = smtp.server.address() as AddressInfo
    const env = { ...secrets, DATABASE_URL: "sqlite:./x.db", SMTP_URL: `smtp://127.0.0.1:${port}` }
    await Process.runJsonCommand(cwd, ["migrate"], env)
    const { apiRoot, stderr, stdout, stop } = await Process.startService(cwd, ["serve"], env)
    expect(stdout()).toBe(`ready ${apiRoot}\n`)
    const { key, persona } = await Partner.registerPartner(cwd, env)
    await Partner.submitTopic(apiRoot, key, persona.id)
    await Process.pollUntil(
      async () => received.join(""),
      (text) => text.includes("To: ada@creators.test")
    )
    expect((await fetch(`${apiRoot}/dev/outbox`)).status).toBe(404)
    await stop()
    expect(existsSync(join(cwd, "data"))).toBe(false)
    expect(stderr()).not.toContain(secrets.SIGNING_SECRET)
    const started = `for production: database ./x.db, mails go through 127.0.0.1 port ${port}, generator the local one`
    expect(stderr()).toContain(started)
    expect(stderr()).toContain(`PUBLIC_URL is unset: links in mails start with ${apiRoot}`)
  })

  it("`serve` shows metrics on the loopback address if ADMIN_PORT is set", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { apiRoot, stderr } = await Process.startServiceProcess(cwd, ["serve"], { ADMIN_PORT: "0" })
    await fetch(`${apiRoot}/partner/v1/topics`)
    const address = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(stderr())![0]
    const text = await (await fetch(address)).text()
    expect(text).toMatch(/^partner_commentary_http_requests_total\{.*status="401".*\} 1$/m)
    expect(text).toContain("partner_commentary_generations_stalled 0")
    expect(text).toContain("process_resident_memory_bytes")
  })
})

describe("the `worker` command", () => {
  it("the `worker` command runs the jobs of a server that was started with --no-worker", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const server = await Process.startService(cwd, ["serve", "--no-worker"])
    const { apiRoot } = server
    const { key, persona } = Partner.readDemoCredentials(server)
    await Partner.submitTopic(apiRoot, key, persona.id)
    expect(await Outbox.readOutbox(cwd)).toEqual([])
    const worker = await Process.startServiceProcess(cwd, ["worker"], { PUBLIC_URL: apiRoot })
    const [mail] = await Process.pollUntil(
      () => Outbox.readOutbox(cwd),
      ({ length }) => length > 0
    )
    expect(mail).toContain(apiRoot.slice(0, 20))
    expect(await worker.stop()).toMatchObject({ code: 0 })
  })
})
