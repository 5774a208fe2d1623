/** The bundle as it is shipped, in processes of their own under the runtime API. */
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Asked } from "@partner-commentary/test/HostRequests"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Deployment from "./Deployment.ts"
import * as Emulator from "./Emulator.ts"
import { example, sources } from "./Sources.ts"

let bundle: Awaited<ReturnType<typeof Deployment.makeBundle>>
let seed: Awaited<ReturnType<typeof Deployment.seed>>
beforeAll(async () => {
  ;[bundle, seed] = await Promise.all([Deployment.makeBundle(), Deployment.seed()])
})
afterAll(() => Promise.all([bundle.remove(), seed.remove()]))

const http = sources["an HTTP API"] ?? (() => undefined)

/** The answer's own parts; what it says must be JSON. */
const ask = async (container: Emulator.Container, asked: Asked) => {
  const outcome = await container.invoke(http(asked))
  if ("failure" in outcome) throw new Error(outcome.failure.errorMessage)
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is what the tests look at
  const answer = outcome.answer as any
  return { ...answer, json: () => JSON.parse(answer.body) }
}

const as = (key: string) =>
  [
    ["X-Api-Key", key],
    ["Content-Type", "application/json"]
  ] as const
const body = (value: unknown) => ({ body: JSON.stringify(value) })
const pressing = [
  ["Accept", "application/json"],
  ["Content-Type", "application/json"]
] as const

describe("the bundle", () => {
  it("is smaller than 1.5 MB, the explorer aside", async () => {
    const programs = (await readdir(bundle.folder)).filter((name) => name.endsWith(".mjs"))
    const sizes = await Promise.all(programs.map((name) => stat(join(bundle.folder, name))))
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(1.5e6)
  })
})

describe.concurrent("a container", () => {
  it("tells a whole story: requests through a gateway, mails and drafts on a schedule", async (test) => {
    const cwd = await Deployment.folder(test)
    const post = await Deployment.postOffice(test)
    const env = Deployment.environment(cwd, post.url)
    const { key, persona } = await seed.copyTo(cwd)
    const container = await Emulator.container(bundle.folder, env, test)
    const tokenIn = (place: number) => /commentary\.example\/creator\/(\S+)/.exec(post.received[place]?.text ?? "")?.[1]
    const schedule = () => container.invoke(example("schedule"))

    const content = "Will the Lakers make the play-offs?"
    const topic = {
      method: "POST",
      target: "/partner/v1/topics",
      headers: as(key),
      ...body({ content, persona_ids: [persona.id] })
    }
    const created = await ask(container, topic)
    expect(created).toMatchObject({ statusCode: 201, isBase64Encoded: false })
    expect(post.received).toHaveLength(0)

    expect(await schedule()).toEqual({ answer: { taken: 1, more_due: false } })
    const respond = { method: "POST", headers: pressing, ...body({ perspective: "They will, but only just." }) }
    expect((await ask(container, { ...respond, target: `/creator/${tokenIn(0)}/respond` })).statusCode).toBe(200)
    expect(await schedule()).toMatchObject({ answer: { more_due: false } })
    const approve = { method: "POST", headers: pressing, ...body({}) }
    expect((await ask(container, { ...approve, target: `/creator/${tokenIn(1)}/approve` })).statusCode).toBe(200)

    const { topic_id } = created.json().data
    const shown = await ask(container, {
      method: "GET",
      target: `/partner/v1/topics/${topic_id}/commentaries`,
      headers: as(key)
    })
    expect(shown.json().data.commentaries[0].content).toContain("They will, but only just.")
  })

  it("answers bytes that are no text in Base64, the explorer's program from its file among them", async (test) => {
    const cwd = await Deployment.folder(test)
    const container = await Emulator.container(bundle.folder, Deployment.environment(cwd), test)
    const packed = await ask(container, {
      method: "GET",
      target: "/docs/scalar.js",
      headers: [["Accept-Encoding", "gzip"]]
    })
    expect(packed).toMatchObject({ statusCode: 200, isBase64Encoded: true })
    expect(Buffer.from(packed.body, "base64")).toEqual(await readFile(join(bundle.folder, "explorer.js.gz")))
  })

  it("refuses an event that is none of its own in one sentence, and goes on", async (test) => {
    const cwd = await Deployment.folder(test)
    const container = await Emulator.container(bundle.folder, Deployment.environment(cwd), test)
    const broken = {
      ...(http({ method: "GET", target: "/healthz" }) as object),
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
      expect(outcome).toMatchObject({ failure: { errorType: "EventRefused" } })
      expect(JSON.stringify(outcome)).not.toContain("secret")
    }
    expect((await ask(container, { method: "GET", target: "/healthz" })).statusCode).toBe(200)
    expect(container.isAlive()).toBe(true)
  })

  it("that cannot begin says why in the log and answers in the envelope, and begins once it can", async (test) => {
    const cwd = await Deployment.folder(test)
    const blocked = join(cwd, "later")
    const env = Deployment.environment(blocked)
    // A file, where a folder should be.
    await writeFile(blocked, "")
    const container = await Emulator.container(bundle.folder, env, test)
    const request = { method: "GET", target: "/readyz", headers: [["X-Request-Id", "mine-1"]] } as const
    const refused = await ask(container, request)
    expect(refused).toMatchObject({
      statusCode: 500,
      headers: { "x-request-id": "mine-1", "cache-control": "no-store" }
    })
    expect(refused.json()).toMatchObject({ success: false, error: { code: "internal_error" } })
    expect(await container.invoke(example("schedule"))).toHaveProperty("failure")
    expect(container.stderr()).toContain("mine-1")

    await rm(blocked)
    expect((await ask(container, request)).statusCode).toBe(200)
  })

  it.for([
    ["DATABASE_URL", "no disk of its own outlives a container"],
    ["PUBLIC_URL", "every link in a mail starts with it"],
    ["SMTP_URL", "must be set outside development"],
    ["SIGNING_SECRET", "must be set outside development"]
  ] as const)("without %s names it", async ([name, why], test) => {
    const { [name]: _, ...env } = Deployment.environment(await Deployment.folder(test))
    const container = await Emulator.container(bundle.folder, env, test)
    const outcome = await container.invoke(example("schedule"))
    expect(outcome).toMatchObject({ failure: { errorMessage: expect.stringContaining(`${name} must be set`) } })
    expect(outcome).toMatchObject({ failure: { errorMessage: expect.stringContaining(why) } })
  })

  it("audio in a folder is refused: nobody would serve it", async (test) => {
    const env = { ...Deployment.environment(await Deployment.folder(test)), MEDIA_FOLDER: "/tmp/media" }
    const container = await Emulator.container(bundle.folder, env, test)
    const outcome = await container.invoke(example("schedule"))
    expect(outcome).toMatchObject({
      failure: { errorMessage: expect.stringContaining("MEDIA_S3_URL must be set on Lambda: a folder") }
    })
  })

  it("says in its log what works, but should not stay so", async (test) => {
    const env = { ...Deployment.environment(await Deployment.folder(test)), SIGNING_SECRET: "short", LOG_LEVEL: "warn" }
    const container = await Emulator.container(bundle.folder, env, test)
    await ask(container, { method: "GET", target: "/healthz" })
    expect(container.stderr()).toContain("SIGNING_SECRET is shorter than 32 characters")
    expect(container.stderr()).toContain("JWKS_URL is unset")
    for (const line of container.stderr().trim().split("\n")) expect(JSON.parse(line)).toHaveProperty("message")
  })

  it("writes counted calls down before it answers, once a second at most, and the rest when it is stopped", async (test) => {
    const cwd = await Deployment.folder(test)
    const env = Deployment.environment(cwd)
    const { key } = await seed.copyTo(cwd)
    const one = await Emulator.container(bundle.folder, env, test)
    const other = await Emulator.container(bundle.folder, env, test)
    const list = { method: "GET", target: "/partner/v1/personas", headers: as(key) }
    const callsSeen = async () =>
      (await ask(other, { method: "GET", target: "/partner/v1/usage", headers: as(key) })).json().data.usage.api_calls

    await ask(one, list)
    expect(await callsSeen()).toBe(2)
    for (let count = 0; count < 3; count++) await ask(one, list)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    await ask(one, list)
    await one.stop("SIGKILL")
    expect(await callsSeen()).toBe(7)

    const third = await Emulator.container(bundle.folder, env, test)
    for (let count = 0; count < 4; count++) await ask(third, list)
    expect(await third.stop("SIGTERM")).toBe(0)
    expect(await callsSeen()).toBe(12)
  })

  it("answers as the Node host does on the same database", async (test) => {
    const cwd = await Deployment.folder(test)
    const env = Deployment.environment(cwd)
    const { key, persona } = await seed.copyTo(cwd)
    const container = await Emulator.container(bundle.folder, env, test)
    const apiRoot = await Deployment.serve(env, cwd, test)
    const content = "Who wins the derby on Sunday?"
    const headers = [...as(key), ["X-Request-Id", "same"], ["Accept-Encoding", "identity"]] as const
    const topic = { content, persona_ids: [persona.id] }
    await ask(container, { method: "POST", target: "/partner/v1/topics", headers, ...body(topic) })
    const [{ topic_id: id }] = (await ask(container, { method: "GET", target: "/partner/v1/topics", headers })).json()
      .data
    const requests: ReadonlyArray<Asked> = [
      ...["", "/status", "/commentaries", "/nothing"].map((rest) => ({
        method: "GET",
        target: `/partner/v1/topics/${id}${rest}`
      })),
      { method: "GET", target: "/partner/v1/personas" },
      { method: "POST", target: "/partner/v1/topics", ...body(topic) },
      { method: "POST", target: "/partner/v1/topics", body: "{" },
      { method: "GET", target: "/openapi.json" },
      { method: "GET", target: "/docs" },
      { method: "GET", target: "/creator/nonsense" }
    ]
    for (const one of requests) {
      const { method, target } = one
      const there = await fetch(`${apiRoot}${target}`, {
        method,
        headers: Object.fromEntries(headers),
        body: one.body?.toString() ?? null
      })
      const here = await ask(container, { ...one, headers })
      const {
        connection: _,
        date,
        "keep-alive": __,
        "transfer-encoding": ___,
        ...told
      } = Object.fromEntries(there.headers)
      const timed = ["content-length", "x-ratelimit-remaining", "x-ratelimit-reset"]
      for (const name of timed) {
        delete told[name]
        delete here.headers[name]
      }
      expect(here.headers, target).toEqual(told)
      expect([here.statusCode, here.body], target).toEqual([there.status, await there.text()])
    }
  })

  it("works beside another on one database without doing anything twice", async (test) => {
    const cwd = await Deployment.folder(test)
    const post = await Deployment.postOffice(test)
    const env = Deployment.environment(cwd, post.url)
    const { key, persona } = await seed.copyTo(cwd)
    const containers = [
      await Emulator.container(bundle.folder, env, test),
      await Emulator.container(bundle.folder, env, test)
    ] as const
    for (let number = 0; number < 12; number++) {
      const content = `Who wins game number ${number} of the series?`
      const created = await ask(containers[0], {
        method: "POST",
        target: "/partner/v1/topics",
        headers: as(key),
        ...body({ content, persona_ids: [persona.id] })
      })
      expect(created.statusCode).toBe(201)
    }
    await Promise.all(containers.map((each) => each.invoke(example("schedule"))))
    expect(new Set(post.received.map(({ messageId }) => messageId)).size).toBe(12)
    expect(post.received).toHaveLength(12)
  })
})
