/** Tests the released bundle in separate processes, with an emulation of Lambda's runtime API. */
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { httpsWebhookUrlPattern, webhookUrlPattern } from "@partner-commentary/core/webhook/WebhookUrl"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { makeHttpEvent, sendHttpEvent } from "../test/Calls.ts"
import * as Deployment from "../test/Deployment.ts"
import * as Emulator from "../test/Emulator.ts"
import { readExampleEvent } from "../test/Sources.ts"

let bundle: Awaited<ReturnType<typeof Deployment.makeBundle>>
beforeAll(async () => {
  bundle = await Deployment.makeBundle()
})
afterAll(() => bundle.remove())

const environmentIn = (folder: string) => Deployment.makeLambdaEnvironment(Deployment.makeSqliteUrl(folder))

describe("the bundle", () => {
  it("the bundle's programs are together smaller than 1.2 MB", async () => {
    const programs = (await readdir(bundle.folder)).filter((name) => name.endsWith(".mjs"))
    const sizes = await Promise.all(programs.map((name) => stat(join(bundle.folder, name))))
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(1.2e6)
  })
})

/** Migrates a database. Returns the environment variables with which a Lambda function uses the migrated database. */
const migrated = async (test: Parameters<typeof Deployment.makeTemporaryFolder>[0]) => {
  const cwd = await Deployment.makeTemporaryFolder(test)
  await Deployment.migrateDatabase(cwd)
  return environmentIn(cwd)
}

describe.concurrent("a container", () => {
  it("a container returns a binary body, such as the explorer's script file, in Base64", async (test) => {
    const container = await Emulator.startContainer(bundle.folder, await migrated(test), test)
    const packed = await sendHttpEvent(container, {
      method: "GET",
      target: "/docs/scalar.js",
      headers: [["Accept-Encoding", "gzip"]]
    })
    expect(packed).toMatchObject({ statusCode: 200, isBase64Encoded: true })
    expect(Buffer.from(packed.body, "base64")).toEqual(await readFile(join(bundle.folder, "explorer.js.gz")))
  })

  it("a container returns the API description from a file, with the container's own URL", async (test) => {
    const environment = await migrated(test)
    const container = await Emulator.startContainer(bundle.folder, environment, test)
    const { body, statusCode } = await sendHttpEvent(container, { method: "GET", target: "/openapi.json", headers: [] })
    expect(statusCode).toBe(200)
    const { servers, ...rest } = JSON.parse(body)
    expect(servers).toEqual([{ url: environment["PUBLIC_URL"], description: "This service" }])
    const committed = await readFile(join(import.meta.dirname, "../../../docs/openapi.json"), "utf8")
    const [any, https] = [webhookUrlPattern, httpsWebhookUrlPattern].map(({ source }) => JSON.stringify(source)) as [
      string,
      string
    ]
    const { servers: _, ...documented } = JSON.parse(committed.replaceAll(any, () => https))
    expect(rest).toEqual(documented)
  })

  it("a container answers an unknown event with a one-sentence error, and keeps running", async (test) => {
    const container = await Emulator.startContainer(bundle.folder, await migrated(test), test)
    const broken = {
      ...(makeHttpEvent({ method: "GET", target: "/healthz" }) as object),
      rawPath: 7,
      headers: { "x-api-key": "secret" }
    }
    for (const event of [
      null,
      7,
      "text",
      [],
      {},
      { Records: [{ eventSource: "aws:sqs" }] },
      { requestContext: { http: null } },
      broken
    ]) {
      const outcome = await container.invoke(event)
      expect(outcome).toMatchObject({ failure: { errorType: "PartnerCommentaryError" } })
      expect(JSON.stringify(outcome)).not.toContain("secret")
    }
    expect((await sendHttpEvent(container, { method: "GET", target: "/healthz" })).statusCode).toBe(200)
    expect(container.isAlive()).toBe(true)
  })

  it("a container that cannot start logs the reason, responds with the error envelope, and retries the start with the next request", async (test) => {
    const cwd = await Deployment.makeTemporaryFolder(test)
    const blocked = join(cwd, "later")
    const env = environmentIn(blocked)
    // The path of the database's folder leads to a file, so the container cannot open the database.
    await writeFile(blocked, "")
    const container = await Emulator.startContainer(bundle.folder, env, test)
    const request = { method: "GET", target: "/readyz", headers: [["X-Request-Id", "mine-1"]] } as const
    const refused = await sendHttpEvent(container, request)
    expect(refused).toMatchObject({
      statusCode: 500,
      headers: { "x-request-id": "mine-1", "cache-control": "no-store" }
    })
    expect(refused.json()).toMatchObject({ success: false, error: { code: "internal_error" } })
    expect(await container.invoke(readExampleEvent("schedule"))).toHaveProperty("failure")
    expect(container.stderr()).toContain("mine-1")

    await rm(blocked)
    await mkdir(blocked)
    await Deployment.migrateDatabase(blocked)
    expect((await sendHttpEvent(container, request)).statusCode).toBe(200)
  })

  it.for([
    ["DATABASE_URL", "no disk of its own outlives a container"],
    ["PUBLIC_URL", "every link in a mail starts with it"],
    ["SMTP_URL", "must be set outside development"],
    ["SIGNING_SECRET", "must be set outside development"]
  ] as const)("a function without %s fails with an error that names the variable", async ([name, why], test) => {
    const { [name]: _, ...env } = environmentIn(await Deployment.makeTemporaryFolder(test))
    const container = await Emulator.startContainer(bundle.folder, env, test)
    const outcome = await container.invoke(readExampleEvent("schedule"))
    expect(outcome).toMatchObject({ failure: { errorMessage: expect.stringContaining(`${name} must be set`) } })
    expect(outcome).toMatchObject({ failure: { errorMessage: expect.stringContaining(why) } })
  })

  it("a container refuses to start if MEDIA_FOLDER is set, because no process would serve the audio files", async (test) => {
    const env = { ...environmentIn(await Deployment.makeTemporaryFolder(test)), MEDIA_FOLDER: "/tmp/media" }
    const container = await Emulator.startContainer(bundle.folder, env, test)
    const outcome = await container.invoke(readExampleEvent("schedule"))
    expect(outcome).toMatchObject({
      failure: {
        errorMessage: expect.stringContaining("MEDIA_S3_URL must be set on Lambda: nothing would serve a folder")
      }
    })
  })

  it("a container logs a warning about unsafe settings", async (test) => {
    const env = { ...(await migrated(test)), SIGNING_SECRET: "short", LOG_LEVEL: "warn" }
    const container = await Emulator.startContainer(bundle.folder, env, test)
    await sendHttpEvent(container, { method: "GET", target: "/healthz" })
    expect(container.stderr()).toContain("SIGNING_SECRET is shorter than 32 characters")
    expect(container.stderr()).toContain("JWKS_URL is unset")
    for (const line of container.stderr().trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("message")
  })
})
