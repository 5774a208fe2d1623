/**
 * Tests the contents of the image that deploy/Dockerfile builds. The tests also run the whole life cycle of a topic in
 * containers behind nginx with deploy/nginx.conf.
 */
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { findFreePort } from "@partner-commentary/test/postgres/FreePort"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Loopback from "../../test/support/Loopback.ts"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import { pollUntil, type TestCleanup } from "../../test/support/Process.ts"
import * as SmtpServer from "../SmtpServer.ts"
import * as Buildah from "./Buildah.ts"
import * as Nginx from "./Nginx.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))
const place = mkdtempSync(join(tmpdir(), "image-"))
const context = join(place, "context")
const tag = "localhost/partner-commentary"
let buildah: Buildah.Buildah
let image: Buildah.ContainerImageConfiguration

/** The files with secrets that an operator's checkout may contain. */
const secrets = ["partner-commentary.env", "deploy/partner-commentary.env", "hosts/node/.env", "data/signing-secret"]

beforeAll(async () => {
  mkdirSync(context)
  const listed = ["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
  const files = execFileSync("git", listed, { cwd: root })
  execFileSync("tar", ["-c", "--null", "--files-from=-", "--ignore-failed-read", "-f", join(place, "context.tar")], {
    cwd: root,
    input: files
  })
  execFileSync("tar", ["-x", "-f", join(place, "context.tar"), "-C", context])
  mkdirSync(join(context, "data"))
  for (const path of secrets) writeFileSync(join(context, path), "SIGNING_SECRET='of an operator'\n")
  buildah = await Buildah.makeBuildah(join(place, "buildah"))
  await buildah.build(context, join(context, "deploy/Dockerfile"), tag)
  image = await buildah.configuration(tag)
  // The timeout is long, because a machine without a cache first downloads the packages of Debian and npm.
}, 600_000)
afterAll(() => rmSync(place, { recursive: true, force: true }))

const filesIn = (folder: string) => readdirSync(folder, { recursive: true, encoding: "utf8" })

it("the image's build context contains no environment files, no data folder, no node_modules and no Git history", async () => {
  const dockerfile = join(place, "Context.Dockerfile")
  writeFileSync(dockerfile, "FROM localhost/debian\nCOPY . /context\n")
  await buildah.build(context, dockerfile, "localhost/context")
  const { files } = await buildah.container("localhost/context")
  const seen = filesIn(join(files, "context"))
  expect(seen).toContain("hosts/node/bin/partner-commentary.js")
  expect(seen.filter((path) => /\.env$|^data|^\.git|(^|\/)node_modules/.test(path))).toEqual([])
})

it("the image is smaller than 250 MB and contains Debian, Node, the bundle and licences, but no sources and packages", async () => {
  const size = await buildah.size(tag)
  process.stdout.write(`image: ${size}\n`)
  expect(size).toMatch(/ MB$/)
  expect(Number.parseFloat(size)).toBeLessThan(250)
  const { files } = await buildah.container(tag)
  expect(readdirSync(join(files, "app")).sort()).toEqual(["LICENSE", "bin", "bundle", "package.json"])
  expect(readdirSync(join(files, "app/bundle"))).toContain("NOTICES.txt")
  expect(filesIn(join(files, "app")).filter((path) => /\.ts$|node_modules|\.env$/.test(path))).toEqual([])
  expect(image.User).toMatch(/^[1-9]\d*:[1-9]\d*$/)
})

/** Starts containers of the image that share one data folder. The data folder belongs to the image's user. */
const containers = async (test: TestCleanup, given: Readonly<Record<string, string>>) => {
  const data = mkdtempSync(join(place, "data-"))
  const [user = 0, group = 0] = image.User.split(":").map(Number)
  chownSync(data, user, group)
  const { name } = await buildah.container(tag)
  const start = (words: ReadonlyArray<string>, own: Readonly<Record<string, string>> = {}) => {
    const running = buildah.start(name, [...image.Entrypoint, ...words], { data, variables: { ...given, ...own } })
    test.onTestFinished(async () => {
      const pid = await Buildah.findServiceProcess(running)
      if (pid !== undefined) process.kill(pid, "SIGKILL")
      await running.ended
    })
    return running
  }
  return {
    // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of the JSON
    json: async (...words: ReadonlyArray<string>): Promise<any> => {
      const running = start([...words, "--json"])
      const code = await running.ended
      if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${running.stderr()}`)
      return JSON.parse(running.stdout())
    },
    /** Waits until the process is ready. Returns the process and the duration of its start in milliseconds. */
    serve: async (
      words: ReadonlyArray<string>,
      isReady: (running: Buildah.RunningContainer) => Promise<boolean>,
      own = {}
    ) => {
      const from = performance.now()
      const running = start(words, own)
      await pollUntil(async () => {
        if (running.child.exitCode !== null) throw new Error(`${words.join(" ")} ended: ${running.stderr()}`)
        return isReady(running)
      }, Boolean)
      const took = Math.round(performance.now() - from)
      const pid = (await Buildah.findServiceProcess(running)) ?? 0
      const status = readFileSync(`/proc/${pid}/status`, "utf8")
      const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1])
      const memory = Math.round(field("VmRSS") / 1024)
      process.stdout.write(`${words.join(" ")}: ready after ${took} ms, ${memory} MB resident\n`)
      expect([field("Uid"), field("Gid")]).toEqual([user, group])
      return { code: running.ended, memory, stop: () => process.kill(pid, "SIGTERM"), stderr: running.stderr }
    }
  }
}

const isListening = async ({ stdout }: Buildah.RunningContainer) => /^ready https:/m.test(stdout())

describe.each(["SQLite", "Postgres"])("in containers of the image, on %s,", (database) => {
  it("in containers behind the proxy, a topic completes from submission to webhook, and SIGTERM ends every process with exit code 0", async (test) => {
    const mails = await SmtpServer.openSmtpServer()
    test.onTestFinished(() => mails.close())
    const events: Array<string> = []
    const receiver = await Loopback.listenOnLoopback(test, (request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text) => (body += text))
      request.on("end", () => {
        events.push(JSON.parse(body).type)
        response.end()
      })
    })
    const port = await findFreePort()
    const proxy = await Nginx.startNginx(test, mkdtempSync(join(place, "nginx-")).concat("/nginx"), port)
    const { json, serve } = await containers(test, {
      DATABASE_URL:
        database === "SQLite"
          ? "sqlite:/var/lib/partner-commentary/partner-commentary.db"
          : ((await OwnDatabase.makeEmptyDatabase(test))["DATABASE_URL"] ?? ""),
      PORT: String(port),
      PUBLIC_URL: `https://127.0.0.1:${proxy.port}`,
      SMTP_URL: mails.url,
      SIGNING_SECRET: randomBytes(32).toString("base64"),
      TRUSTED_PROXIES: "127.0.0.1",
      WEBHOOK_ALLOW_PRIVATE: "true"
    })
    expect((await json("migrate")).applied).toContain("0001_organizations")
    const { id: org } = await json("org", "create", "--name", "Acme", "--contact-email", "desk@acme.test")
    const { id: persona } = await json("persona", "create", "--name", "Ada", "--creator-email", "ada@creators.test")
    await json("license", "grant", "--org", org, "--persona", persona)
    // The service can learn the client's address only from the header that the proxy sets.
    const whose = ["--org", org, "--name", "k", "--ip-whitelist", "127.0.0.2"]
    const { full_key: key } = await json("key", "create", ...whose, "--scopes", "topics:submit,topics:read")

    const apart = database === "SQLite" ? ["serve"] : ["serve", "--no-worker"]
    const server = await serve(apart, isListening)
    const admin = `http://127.0.0.1:${await findFreePort()}`
    const variables = { ADMIN_HOST: "0.0.0.0", ADMIN_PORT: new URL(admin).port }
    const isReady = () =>
      fetch(`${admin}/readyz`).then(
        ({ ok }) => ok,
        () => false
      )
    const worker = database === "SQLite" ? undefined : await serve(["worker"], isReady, variables)
    expect(server.memory).toBeLessThan(125)

    const api = (path: string, body?: unknown, from?: Pick<Nginx.NginxRequestOptions, "from" | "headers">) =>
      proxy.ask(`/partner/v1${path}`, { body, ...from, headers: { "x-api-key": key, ...from?.headers } })
    expect(await api("/topics")).toMatchObject({ status: 200 })
    const forged = { from: "127.0.0.3", headers: { "x-forwarded-for": "127.0.0.2" } }
    expect((await api("/topics", undefined, forged)).status).toBe(401)
    expect(await api("/webhooks", { url: `http://${receiver}/in`, events: ["creator.approved"] })).toMatchObject({
      status: 201
    })
    const content = "Who decides the derby, the keeper or the referee?"
    const { body } = await api("/topics", { content, persona_ids: [persona], external_reference: "derby" })
    const topic = body.data.topic_id
    const asked = await pollUntil(
      async () => mails.letters.find(({ to, token }) => to === "ada@creators.test" && token),
      Boolean
    )
    const page = (action: string, form?: unknown) => proxy.ask(`/creator/${asked?.token}${action}`, { body: form })
    expect(await page("/respond", { perspective: "The keeper decides it." })).toMatchObject({ status: 200 })
    const view = await pollUntil(
      () => page(""),
      ({ body }) => body.data?.draft != null
    )
    expect(await page("/approve", { draft_id: view.body.data.draft.id })).toMatchObject({ status: 200 })
    const found = await api(`/topics/${topic}/commentaries`)
    expect(JSON.stringify(found.body.data)).toContain("The keeper decides it.")
    await pollUntil(
      async () => events,
      (types) => types.includes("creator.approved")
    )

    // The proxy hides health checks and development pages. The proxy forwards a large bulk request, and the service
    // validates the request.
    const large = await api("/topics/bulk", { topics: [], note: "x".repeat(2_000_000) })
    expect(large).toMatchObject({ status: 400, body: { success: false } })
    expect((await proxy.ask("/readyz")).status).toBe(404)
    expect((await proxy.ask("/dev/outbox")).status).toBe(404)
    expect((await proxy.ask("/openapi.json")).status).toBe(200)
    for (const process of [server, worker]) {
      process?.stop()
      expect((await process?.code) ?? 0, process?.stderr()).toBe(0)
    }
  })
})
