/**
 * Tests that the doctor checks the mail server and the generator, including the credentials. A check times out within
 * seconds if a server does not answer.
 */
import { mkdir, readdir } from "node:fs/promises"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { join } from "node:path"
import { SMTPServer } from "smtp-server"
import { describe, expect, it } from "vitest"
import * as Loopback from "../../test/support/Loopback.ts"
import * as Process from "../../test/support/Process.ts"

const listening = async (test: Process.TestCleanup, server: Pick<Server, "listen" | "close" | "address">) => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  test.onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())))
  return (server.address() as AddressInfo).port
}

const mailServer = (test: Process.TestCleanup, password: string) => {
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

const generator = (test: Process.TestCleanup, status: number) =>
  listening(
    test,
    createHttpServer((_, response) => {
      response.writeHead(status, { "content-type": "application/json" }).end('{"data":[]}')
    })
  )

const doctor = async (test: Process.TestCleanup, env: Process.EnvironmentVariables, run = Process.runCommand) => {
  const cwd = await Process.makeWorkingFolder(test)
  await Process.runJsonCommand(cwd, ["migrate"], env)
  const { code, stdout } = await run(cwd, ["doctor", "--json"], env)
  const found = JSON.parse(stdout).findings as ReadonlyArray<{ check: string; state: string; message: string }>
  return { code, about: (check: string) => found.find((finding) => finding.check === check) }
}

const generating = (port: number) => ({
  GENERATOR_URL: `http://127.0.0.1:${port}/v1`,
  GENERATOR_MODEL: "m",
  GENERATOR_API_KEY: "hunter2"
})

const speaking = (port: number) => ({
  SPEECH_URL: `http://127.0.0.1:${port}/v1`,
  SPEECH_MODEL: "m",
  SPEECH_VOICE: "alto",
  SPEECH_API_KEY: "hunter2"
})

/** Returns a port on which no server listens. */
const closedPort = async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe.concurrent("the doctor's checks of other servers", () => {
  it("`doctor` reports that the mail server refuses the password, and does not print the password", async (test) => {
    const port = await mailServer(test, "right")
    const wrong = await doctor(test, { SMTP_URL: `smtp://desk:hunter2@127.0.0.1:${port}` })
    expect(wrong.code).toBe(1)
    expect(wrong.about("mail server")).toMatchObject({ state: "mend", message: expect.stringContaining("535") })
    expect(wrong.about("mail server")?.message).not.toContain("hunter2")
    const right = await doctor(test, { SMTP_URL: `smtp://desk:right@127.0.0.1:${port}` })
    expect(right.about("mail server")).toMatchObject({
      state: "ok",
      message: expect.stringContaining("accepts the password")
    })
  })

  it("`doctor` reports a generator that is down or refuses the key, and says if the key could not be checked", async (test) => {
    const refused = await doctor(test, generating(await generator(test, 401)))
    expect(refused.code).toBe(1)
    expect(refused.about("generator")).toMatchObject({
      state: "mend",
      message: expect.stringContaining("the credentials were refused: 401")
    })
    const down = await doctor(test, generating(await closedPort()))
    expect(down.code).toBe(1)
    expect(down.about("generator")).toMatchObject({
      state: "mend",
      message: expect.stringContaining("could not be reached or broke off (ECONNREFUSED)")
    })
    const listless = await doctor(test, generating(await generator(test, 404)))
    expect(listless.about("generator")).toMatchObject({
      state: "notice",
      message: expect.stringContaining("The key was not checked")
    })
    const good = await doctor(test, generating(await generator(test, 200)))
    expect(good.about("generator")).toMatchObject({
      state: "ok",
      message: expect.stringContaining("Not tested: a draft")
    })
  })

  it("`doctor` reports the local generator in production, but not in development", async (test) => {
    const production = await doctor(test, {
      ...{ DATABASE_URL: "sqlite:./x.db", DEV: "false", SIGNING_SECRET: "a-text-that-is-long-enough-for-a-secret" },
      ...{ SMTP_URL: `smtp://127.0.0.1:${await closedPort()}`, MAIL_FROM: "desk@example.com" }
    })
    expect(production.about("generator")).toMatchObject({
      state: "notice",
      message: expect.stringContaining("set GENERATOR_URL")
    })
    expect((await doctor(test, {})).about("generator")).toMatchObject({ state: "ok" })
  })

  it("`doctor` checks that the speech server accepts the key", async (test) => {
    expect((await doctor(test, {})).about("speech")).toMatchObject({ state: "ok", message: "None: no audio is made." })
    const good = await doctor(test, speaking(await generator(test, 200)))
    expect(good.about("speech")).toMatchObject({ state: "ok", message: expect.stringContaining("takes the key") })
    const refused = await doctor(test, speaking(await generator(test, 401)))
    expect(refused.code).toBe(1)
    expect(refused.about("speech")).toMatchObject({ state: "mend", message: expect.stringContaining("401") })
    expect(refused.about("speech")?.message).not.toContain("hunter2")
  })

  it("`doctor` checks a media folder by writing a test file and removing the file", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const env = speaking(await generator(test, 200))
    const missing = await doctor(test, { ...env, MEDIA_FOLDER: join(cwd, "media") })
    expect(missing.about("media storage")).toMatchObject({
      state: "notice",
      message: expect.stringContaining("Not checked")
    })
    await mkdir(join(cwd, "media"))
    const good = await doctor(test, { ...env, MEDIA_FOLDER: join(cwd, "media") })
    expect(good.about("media storage")).toMatchObject({ state: "ok" })
    expect(await readdir(join(cwd, "media"))).toEqual([])
    const bad = await doctor(test, { ...env, MEDIA_FOLDER: "/sys" })
    expect(bad.code).toBe(1)
    expect(bad.about("media storage")).toMatchObject({ state: "mend", message: expect.stringContaining("/sys") })
  })

  it("`doctor` checks a bucket by storing a test object, which needs the same permission as storing audio", async (test) => {
    const requests: Array<string> = []
    const answer = { status: 200 }
    const bucket = await Loopback.listenOnLoopback(test, (request, response) => {
      requests.push(`${request.method} ${request.url}`)
      request.resume().on("end", () => response.writeHead(answer.status).end("<Code>InvalidAccessKeyId</Code>"))
    })
    const env = {
      ...speaking(await generator(test, 200)),
      MEDIA_S3_URL: `http://${bucket}/audio`,
      MEDIA_S3_ACCESS_KEY_ID: "id",
      MEDIA_S3_SECRET_ACCESS_KEY: "hunter2"
    }
    expect((await doctor(test, env)).about("media storage")).toMatchObject({ state: "ok" })
    expect(requests).toEqual([expect.stringMatching(/^PUT \/audio\/0{32}\.mp3$/)])
    answer.status = 403
    const refused = await doctor(test, env)
    expect(refused.code).toBe(1)
    expect(refused.about("media storage")).toMatchObject({
      state: "mend",
      message: expect.stringContaining("the bucket answered 403 (InvalidAccessKeyId)")
    })
    expect(refused.about("media storage")?.message).not.toContain("hunter2")
  })

  it("`doctor` reports all unresponsive servers within the time of one timeout", async (test) => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => sockets.add(socket))
    const port = await listening(test, silent)
    test.onTestFinished(async () => {
      for (const socket of sockets) socket.destroy()
    })
    const env = {
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      ...{ ...generating(port), ...speaking(port) },
      ...{
        MEDIA_S3_URL: `http://127.0.0.1:${port}/audio`,
        MEDIA_S3_ACCESS_KEY_ID: "id",
        MEDIA_S3_SECRET_ACCESS_KEY: "x"
      }
    }
    const found = await doctor(test, env, Process.spawnCommand)
    expect(found.code).toBe(1)
    expect(found.about("mail server")).toMatchObject({ state: "mend" })
    expect(found.about("generator")).toMatchObject({
      state: "mend",
      message: expect.stringMatching(/no answer within/i)
    })
    expect(found.about("speech")).toMatchObject({ state: "mend" })
    expect(found.about("media storage")).toMatchObject({ state: "mend" })
  })
})

it("`doctor` ends within 5 seconds when the database and all other servers accept connections and never answer", async (test) => {
  const sockets = new Set<Socket>()
  const port = await listening(
    test,
    createServer((socket) => sockets.add(socket))
  )
  test.onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
  })
  const cwd = await Process.makeWorkingFolder(test)
  const begun = performance.now()
  // On a busy machine, starting the process takes seconds as well.
  await Process.spawnCommand(cwd, ["doctor"])
  const undisturbed = performance.now()
  const { code, stdout } = await Process.spawnCommand(cwd, ["doctor", "--json"], {
    DATABASE_URL: `postgres://u:p@127.0.0.1:${port}/x`,
    DATABASE_DIRECT_URL: `postgres://u:p@127.0.0.1:${port}/x`,
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    ...{ MAIL_FROM: "desk@example.com", PUBLIC_URL: "https://api.example.com" },
    ...{ SIGNING_SECRET: "a-text-that-is-long-enough-for-a-secret", TRUSTED_PROXIES: "127.0.0.1" },
    ...{ JWKS_URL: `http://127.0.0.1:${port}/keys`, JWT_ISSUER: "issuer", JWT_AUDIENCE: "audience" },
    ...{ ...generating(port), ...speaking(port) },
    ...{ MEDIA_S3_URL: `http://127.0.0.1:${port}/audio`, MEDIA_S3_ACCESS_KEY_ID: "id", MEDIA_S3_SECRET_ACCESS_KEY: "x" }
  })
  const seconds = (performance.now() - undisturbed - (undisturbed - begun)) / 1000
  expect(code).toBe(1)
  const found = JSON.parse(stdout).findings as ReadonlyArray<{ check: string; state: string }>
  const toMend = found.filter(({ state }) => state === "mend").map(({ check }) => check)
  expect(toMend).toEqual(
    expect.arrayContaining(["database", "mail server", "generator", "speech", "media storage", "identity provider"])
  )
  expect(seconds).toBeLessThan(4.5)
})
