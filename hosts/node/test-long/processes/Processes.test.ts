/** Tests of `serve --processes N` on Postgres with real processes that share one port. */
import { readFileSync } from "node:fs"
import { findFreePort } from "@partner-commentary/test/postgres/FreePort"
import { expect, it } from "vitest"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

const startThree = async (test: Process.TestCleanup, ...args: ReadonlyArray<string>) => {
  const cwd = await Process.makeWorkingFolder(test)
  const env = { ...(await OwnDatabase.makeEmptyDatabase(test)), LOG_FORMAT: "json" }
  const service = await Process.startServiceProcess(cwd, ["serve", "--processes", "3", ...args], {
    ...env,
    ADMIN_PORT: "0"
  })
  const page = /(http:\/\/\S+)\/metrics/.exec(service.stderr())?.[0] ?? ""
  const requests = async () => {
    const text = await fetch(page).then((response) => response.text())
    return Number(/http_requests_total\{area="partner\/v1\/topics",method="GET",status="401"\} (\d+)/.exec(text)?.[1])
  }
  return { cwd, env, service, page, requests }
}

const membersOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number)

const logOf = (service: Process.RunningService) =>
  service
    .stderr()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { readonly level: string; readonly message: string })

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const heartbeats = (env: Process.EnvironmentVariables) => OwnDatabase.queryRows(env, "SELECT id FROM processes")

it("three processes share one port, one log and one page of metrics, and a killed process is restarted", async (test) => {
  const { cwd, env, page, requests, service } = await startThree(test)
  expect(service.stdout()).toBe(`ready ${service.apiRoot}\n`)
  expect(await heartbeats(env)).toHaveLength(3)
  // Each request opens a new connection, and each new connection goes to the next process.
  const ask = (path: string) => fetch(`${service.apiRoot}${path}`, { headers: { connection: "close" } })
  for (let count = 0; count < 9; count++) expect((await ask("/partner/v1/topics")).status).toBe(401)
  expect(await requests()).toBe(9)

  const { key, persona } = await Partner.registerPartner(cwd, env)
  await Partner.submitTopic(service.apiRoot, key, persona.id)
  const outbox = () => fetch(`${service.apiRoot}/dev/outbox`).then((response) => response.text())
  await Process.pollUntil(outbox, (text) => text.includes("ada@creators.test"))

  const members = membersOf(service.pid)
  expect(members).toHaveLength(3)
  process.kill(members[1] as number, "SIGKILL")
  await Process.pollUntil(
    async () => membersOf(service.pid),
    (present) => present.length === 3 && !present.includes(members[1] as number)
  )
  for (let count = 0; count < 9; count++) expect((await ask("/healthz")).status).toBe(200)
  expect(await requests()).toBe(9)
  const metrics = await fetch(page).then((response) => response.text())
  expect(metrics).toMatch(/^partner_commentary_process_restarts_total 1$/m)
  for (const path of ["/healthz", "/readyz"]) expect((await fetch(page.replace("/metrics", path))).status).toBe(200)
  expect(logOf(service).filter(({ level }) => level === "ERROR")).toMatchObject([
    { message: expect.stringMatching(/^Process \d ended with SIGKILL\. Process \d starts again in 1s\.$/) }
  ])

  const stopped = await service.stop()
  expect(stopped).toMatchObject({ code: 0, stdout: `ready ${service.apiRoot}\n` })
  const messages = logOf(service).map(({ message }) => message)
  expect(messages.filter((message) => message.startsWith("Partner Commentary"))).toHaveLength(1)
  expect(messages.slice(-2)).toEqual(["Stopping", "Stopped"])
  // Only the heartbeat row of the killed process remains, because a stopping process deletes its own heartbeat row.
  expect(await heartbeats(env)).toHaveLength(1)
})

it("/readyz at the admin address is 503 until all processes listen", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const env = await OwnDatabase.makeEmptyDatabase(test)
  const port = await findFreePort()
  const starting = Process.startServiceProcess(cwd, ["serve", "--processes", "3"], { ...env, ADMIN_PORT: `${port}` })
  const reasons = new Set<string>()
  const readiness = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    if (response?.status === 503) reasons.add((await response.json()).data.reason)
    return response?.status
  }
  await Process.pollUntil(readiness, (status) => status === 200)
  // The other processes start, and write their first heartbeats, only after the first process listens.
  expect(await heartbeats(env)).toHaveLength(3)
  expect([...reasons]).toEqual(["Not all processes of the service listen yet."])
  const service = await starting
  const [member] = membersOf(service.pid)
  process.kill(member as number, "SIGKILL")
  await Process.pollUntil(
    async () => membersOf(service.pid),
    (present) => present.length === 3 && !present.includes(member as number)
  )
  await Process.pollUntil(
    async () => service.stderr(),
    (text) => text.includes("serves again")
  )
  for (let count = 0; count < 9; count++) expect(await readiness()).toBe(200)
})

it("a process that no longer responds is killed and restarted, and the other processes keep running", async (test) => {
  const { service } = await startThree(test)
  const members = membersOf(service.pid)
  process.kill(members[1] as number, "SIGSTOP")
  await Process.pollUntil(
    async () => membersOf(service.pid),
    (present) => present.length === 3 && !present.includes(members[1] as number)
  )
  expect(membersOf(service.pid)).toEqual(expect.arrayContaining([members[0], members[2]]))
  expect(logOf(service).filter(({ level }) => level === "ERROR")).toMatchObject([
    {
      message: expect.stringMatching(
        /^Process \d did not respond for 30s and was killed\. Process \d starts again in 1s\.$/
      )
    }
  ])
  expect(await service.stop()).toMatchObject({ code: 0 })
})

it("when several processes stop, each process first answers its running requests", async (test) => {
  const { cwd, env, service } = await startThree(test, "--no-worker")
  const { key, persona } = await Partner.registerPartner(cwd, env)
  const submission = { content: "Who wins the derby this year?", persona_ids: [persona.id] }
  const { topic_id: id } = (await Partner.callApi(service.apiRoot, key, "/topics", submission)).body.data
  const url = `${service.apiRoot}/partner/v1/topics/${id}/status`
  const first = await fetch(url, { headers: { "x-api-key": key } })
  const waiting = Array.from({ length: 6 }, () =>
    fetch(url, {
      headers: { "x-api-key": key, prefer: "wait=30", "if-none-match": first.headers.get("etag") ?? "" }
    })
  )
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const stopped = service.stop()
  for (const answer of await Promise.all(waiting)) expect([200, 304]).toContain(answer.status)
  expect(await stopped).toMatchObject({ code: 0 })
  expect(await heartbeats(env)).toEqual([])
})

it("if the port is in use, the start of several processes fails with a single one-sentence error", async (test) => {
  const { cwd, env, service } = await startThree(test)
  const again = await Process.spawnCommand(cwd, ["serve", "--processes", "3"], {
    ...env,
    LOG_LEVEL: "error",
    LOG_FORMAT: "pretty",
    PORT: new URL(service.apiRoot).port
  })
  expect(again).toMatchObject({ code: 1, stdout: "" })
  expect(again.stderr).toMatch(/^PORT must name a free port, and \d+ on 127\.0\.0\.1 is in use\.\n$/)
})

it("when the primary process is killed, the other processes stop and delete their heartbeat rows", async (test) => {
  const { env, service } = await startThree(test)
  const members = membersOf(service.pid)
  await service.stop("SIGKILL")
  await Process.pollUntil(
    async () => members.filter(isAlive),
    (alive) => alive.length === 0
  )
  expect(await heartbeats(env)).toEqual([])
})
