/** Tests that four servers on one Postgres database together enforce rate limits, quotas and idempotency exactly. */
import { afterAll, beforeAll, expect, it } from "vitest"
import * as OwnDatabase from "../test/support/OwnDatabase.ts"
import * as Process from "../test/support/Process.ts"

const cleanUps: Array<() => Promise<void>> = []
const suite = { onTestFinished: (cleanUp: () => Promise<void>) => void cleanUps.push(cleanUp) }
let cwd: string
let env: Process.EnvironmentVariables
let servers: ReadonlyArray<Process.RunningService>

beforeAll(async () => {
  env = await OwnDatabase.makeEmptyDatabase(suite)
  cwd = await Process.makeWorkingFolder(suite)
  await Process.runJsonCommand(cwd, ["migrate"], env)
  servers = await Promise.all(
    Array.from({ length: 4 }, () => Process.startServiceProcess(cwd, ["serve", "--no-worker"], env))
  )
})
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp()
})

const plenty = { requests_per_hour: 100_000, burst_per_minute: 100_000, topic_submissions_per_hour: 100_000 }

/** Creates an organization with a licensed persona and a key with all scopes. */
const partner = async (limits: Readonly<Record<string, number>> = {}) => {
  const given = Object.entries({ ...plenty, ...limits }).flatMap(([name, value]) => ["--limit", `${name}=${value}`])
  const { id } = await Process.runJsonCommand(cwd, ["org", "create", "--name", "Acme", ...given], env)
  const persona = await Process.runJsonCommand(
    cwd,
    ["persona", "create", "--name", "Ada Marsh", "--creator-email", "ada@creators.test"],
    env
  )
  await Process.runJsonCommand(cwd, ["license", "grant", "--org", id, "--persona", persona.id], env)
  const scopes = "topics:submit,topics:read,personas:read,usage:read"
  const key = await Process.runJsonCommand(cwd, ["key", "create", "--org", id, "--name", "k", "--scopes", scopes], env)
  return { id: id as string, persona: persona.id as string, key: key.full_key as string, keyId: key.id as string }
}

const ask = async (server: Process.RunningService, key: string, path: string, body?: unknown, headers = {}) => {
  const response = await fetch(`${server.apiRoot}/partner/v1${path}`, {
    headers: { "x-api-key": key, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of the JSON
  return { status: response.status, headers: response.headers, body: (await response.json()) as any }
}

type Answer = Awaited<ReturnType<typeof ask>>

/** Sends the given number of requests concurrently, spread evenly over the servers. */
const spread = (count: number, one: (server: Process.RunningService, index: number) => Promise<Answer>) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => one(servers[index % servers.length] as Process.RunningService, index))
  )

const withStatus = (answers: ReadonlyArray<Answer>, status: number) =>
  answers.filter((answer) => answer.status === status)

it("of 100 parallel requests against a rate limit of 50, exactly 50 are admitted, and refused requests are not counted", async () => {
  const { id, key } = await partner({ burst_per_minute: 50, requests_per_hour: 90 })
  const answers = await spread(100, (server) => ask(server, key, "/personas"))
  const passed = withStatus(answers, 200)
  expect([passed.length, withStatus(answers, 429).length]).toEqual([50, 50])
  const remaining = passed.map(({ headers }) => Number(headers.get("x-ratelimit-remaining")))
  expect(remaining.toSorted((one, other) => other - one)).toEqual(Array.from({ length: 50 }, (_, index) => 89 - index))
  for (const { headers } of withStatus(answers, 429)) expect(headers.get("x-ratelimit-remaining")).toBe("40")
  await Process.runJsonCommand(cwd, ["org", "update", id, "--limit", "burst_per_minute=1000"], env)
  const known = (server: Process.RunningService) => ask(server, key, "/nowhere")
  for (const server of servers) {
    await Process.pollUntil(
      () => known(server),
      ({ headers }) => Number(headers.get("x-ratelimit-remaining")) < 40
    )
  }
})

it("if clients submit 60 topics in parallel under a quota of 20 topics, exactly 20 topics are created", async () => {
  const { key, persona } = await partner({ topics_per_month: 20 })
  const answers = await spread(60, (server, index) =>
    ask(server, key, "/topics", { content: `Who wins the derby ${index}?`, persona_ids: [persona] })
  )
  expect([withStatus(answers, 201).length, withStatus(answers, 429).length]).toEqual([20, 40])
  for (const { body } of withStatus(answers, 429))
    expect(body.error.details).toMatchObject({ quota: "topics_per_month" })
})

it("if clients submit 60 topics in parallel under a quota of 15 commentaries, exactly 15 topics are created", async () => {
  const { key, persona } = await partner({ commentaries_per_month: 15 })
  const answers = await spread(60, (server, index) =>
    ask(server, key, "/topics", { content: `Who wins the cup ${index}?`, persona_ids: [persona] })
  )
  expect([withStatus(answers, 201).length, withStatus(answers, 429).length]).toEqual([15, 45])
})

it("40 parallel requests with one idempotency key create one topic and all get the same response", async () => {
  const { key, persona } = await partner()
  const topic = { content: "Who wins the league this year?", persona_ids: [persona] }
  const answers = await spread(40, (server) => ask(server, key, "/topics", topic, { "idempotency-key": "once" }))
  expect(withStatus(answers, 201)).toHaveLength(40)
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  expect(answers.filter(({ headers }) => headers.get("idempotency-replayed") === null)).toHaveLength(1)
  expect((await ask(servers[0] as Process.RunningService, key, "/topics")).body.pagination.total).toBe(1)
})

it("only one of 40 parallel submissions with the same content creates a topic, and the other 39 are refused as duplicates", async () => {
  const { key, persona } = await partner()
  const topic = { content: "Who wins the relay this year?", persona_ids: [persona] }
  const answers = await spread(40, (server) => ask(server, key, "/topics", topic))
  const created = withStatus(answers, 201).map(({ body }) => body.data)
  expect(created).toMatchObject([{ results: [{ status: "sent" }] }])
  const first = { topic_id: created[0].topic_id, share_id: created[0].results[0].share_id }
  const repeated = withStatus(answers, 400).map(({ body }) => body.error.details)
  expect(repeated).toHaveLength(39)
  for (const details of repeated) expect(details).toMatchObject([{ status: "duplicate", duplicate_of: first }])
})

it("every API call is counted once, and a clean stop writes the last counts to the database", async () => {
  const { id, key } = await partner()
  expect(withStatus(await spread(200, (server) => ask(server, key, "/personas")), 200)).toHaveLength(200)
  for (const outcome of await Promise.all(servers.map(({ stop }) => stop()))) expect(outcome).toMatchObject({ code: 0 })
  const counted = await OwnDatabase.queryRows(
    env,
    `SELECT SUM(api_calls) AS calls FROM usage_months WHERE organization_id = '${id}'`
  )
  expect(counted.map((row) => ({ ...row }))).toEqual([{ calls: 200 }])
})
