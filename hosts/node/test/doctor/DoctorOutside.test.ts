/** The doctor tries the mail server and the generator up to their credentials, and gives up within seconds on one that is silent. */
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { SMTPServer } from "smtp-server"
import { describe, expect, it } from "vitest"
import * as Process from "../support/Process.ts"

const listening = async (test: Process.Test, server: Pick<Server, "listen" | "close" | "address">) => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  test.onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())))
  return (server.address() as AddressInfo).port
}

const mailServer = (test: Process.Test, password: string) => {
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    logger: false,
    onAuth: (auth, _session, done) =>
      auth.password === password ? done(null, { user: "desk" }) : done(new Error("535 no such password"))
  })
  smtp.on("error", () => {})
  return listening(test, smtp.server)
}

const generator = (test: Process.Test, status: number) =>
  listening(
    test,
    createHttpServer((_, response) => {
      response.writeHead(status, { "content-type": "application/json" }).end('{"data":[]}')
    })
  )

const doctor = async (test: Process.Test, env: Process.Environment, run = Process.run) => {
  const cwd = await Process.folder(test)
  await Process.json(cwd, ["migrate"])
  const { code, stdout } = await run(cwd, ["doctor", "--json"], env)
  const found = JSON.parse(stdout).findings as ReadonlyArray<{ check: string; state: string; message: string }>
  return { code, about: (check: string) => found.find((finding) => finding.check === check) }
}

const generating = (port: number) => ({
  GENERATOR_URL: `http://127.0.0.1:${port}/v1`,
  GENERATOR_MODEL: "m",
  GENERATOR_API_KEY: "hunter2"
})

describe.concurrent("doctor", () => {
  it("names the mail server's refusal of the password, without the password", async (test) => {
    const port = await mailServer(test, "right")
    const wrong = await doctor(test, { SMTP_URL: `smtp://desk:hunter2@127.0.0.1:${port}` })
    expect(wrong.code).toBe(1)
    expect(wrong.about("mail server")).toMatchObject({ state: "mend", message: expect.stringContaining("535") })
    expect(wrong.about("mail server")?.message).not.toContain("hunter2")
    const right = await doctor(test, { SMTP_URL: `smtp://desk:right@127.0.0.1:${port}` })
    expect(right.about("mail server")).toMatchObject({
      state: "ok",
      message: expect.stringContaining("takes the password")
    })
  })

  it("names a generator that is down or refuses the key, and says where the key was not tried", async (test) => {
    const refused = await doctor(test, generating(await generator(test, 401)))
    expect(refused.code).toBe(1)
    expect(refused.about("generator")).toMatchObject({
      state: "mend",
      message: expect.stringContaining("the credentials were refused: 401")
    })
    const down = await doctor(test, generating(9))
    expect(down.code).toBe(1)
    expect(down.about("generator")).toMatchObject({
      state: "mend",
      message: expect.stringContaining("could not be reached")
    })
    const listless = await doctor(test, generating(await generator(test, 404)))
    expect(listless.about("generator")).toMatchObject({
      state: "notice",
      message: expect.stringContaining("Not tried: the key")
    })
    const good = await doctor(test, generating(await generator(test, 200)))
    expect(good.about("generator")).toMatchObject({ state: "ok" })
  })

  it("gives up on servers that are silent, both at the same time, and says so", async (test) => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => sockets.add(socket))
    const port = await listening(test, silent)
    test.onTestFinished(async () => {
      for (const socket of sockets) socket.destroy()
    })
    const env = { SMTP_URL: `smtp://127.0.0.1:${port}`, ...generating(port) }
    const found = await doctor(test, env, Process.spawned)
    expect(found.code).toBe(1)
    expect(found.about("mail server")).toMatchObject({ state: "mend" })
    expect(found.about("generator")).toMatchObject({
      state: "mend",
      message: expect.stringMatching(/no answer within/i)
    })
  })
})
