/** Tests the service behind PgBouncer in transaction mode, in which a database session ends with each transaction. */
import { expect, it } from "vitest"
import * as Outbox from "../test/support/Outbox.ts"
import * as OwnDatabase from "../test/support/OwnDatabase.ts"
import * as Partner from "../test/support/Partner.ts"
import * as Process from "../test/support/Process.ts"
import * as PgBouncer from "./PgBouncer.ts"

const scopes = "topics:submit,topics:read,personas:read"

const approves = "7e570000-0000-4000-8000-000000000001"

/**
 * Starts two servers and two workers, and creates a partner. `past` adds a direct connection that bypasses the pooler.
 */
const service = async (test: Process.TestCleanup, options: { readonly past: boolean }) => {
  const cwd = await Process.makeWorkingFolder(test)
  const own = await OwnDatabase.makeEmptyDatabase(test)
  const direct = own["DATABASE_URL"] ?? ""
  const ignored = options.past ? "" : "statement_timeout,idle_in_transaction_session_timeout"
  const pooled = await PgBouncer.startPgBouncer(test, direct, ignored)
  const env: Process.EnvironmentVariables = {
    ...own,
    DATABASE_URL: pooled,
    DATABASE_DIRECT_URL: options.past ? direct : pooled,
    // A worker with a direct connection to Postgres receives notifications of new work. A worker that connects only
    // through PgBouncer polls for new work.
    WORKER_POLL_INTERVAL: options.past ? "10 minutes" : "1 second"
  }
  const server = await Process.startServiceProcess(cwd, ["serve", "--no-worker"], env)
  const links = { PORT: new URL(server.apiRoot).port, PUBLIC_URL: server.apiRoot }
  const [other, ...workers] = await Promise.all([
    Process.startServiceProcess(cwd, ["serve", "--no-worker"], env),
    Process.startServiceProcess(cwd, ["worker"], { ...env, ...links }),
    Process.startServiceProcess(cwd, ["worker"], { ...env, ...links })
  ])
  const partner = await Partner.registerPartner(cwd, env)
  const org = partner.organization.id
  await Process.runJsonCommand(
    cwd,
    ["org", "update", org, "--limit", "burst_per_minute=10000", "--limit", "requests_per_hour=10000"],
    env
  )
  const issued = ["key", "create", "--org", org, "--name", "t", "--environment", "test", "--scopes", scopes]
  const { full_key: testKey } = await Process.runJsonCommand(cwd, issued, env)
  return { cwd, env, servers: [server, other], processes: [...workers, other, server], testKey, ...partner }
}

it("two workers complete the topics of two servers behind the pooler, and send each mail once", async (test) => {
  const { cwd, env, key, keyId, persona, processes, servers, testKey } = await service(test, { past: true })
  const submit = async (one: string, personaId: string, index: number) => {
    const topic = { content: `Who wins derby ${index} this year?`, persona_ids: [personaId] }
    const { body, status } = await Partner.callApi(servers[index % 2]?.apiRoot ?? "", one, "/topics", topic)
    expect(status).toBe(201)
    return body.data.topic_id as string
  }
  const numbers = Array.from({ length: 20 }, (_, index) => index)
  const simulated = await Promise.all(numbers.map((index) => submit(testKey, approves, index)))
  await Promise.all(numbers.map((index) => submit(key, persona.id, index)))
  const status = async (id: string) => {
    const { body } = await Partner.callApi(servers[0]?.apiRoot ?? "", testKey, `/topics/${id}/status`)
    return body.data?.overall_status
  }
  for (const id of simulated)
    await Process.pollUntil(
      () => status(id),
      (state) => state === "completed"
    )
  const mails = () => Outbox.readOutbox(cwd)
  await Process.pollUntil(mails, ({ length }) => length >= 20)
  expect(await mails()).toHaveLength(20)
  const statuses = () =>
    Promise.all(servers.map(async ({ apiRoot }) => (await Partner.callApi(apiRoot, key, "/personas")).status))
  expect(await statuses()).toEqual([200, 200])
  await Process.runJsonCommand(cwd, ["key", "revoke", keyId], env)
  const revokedAt = performance.now()
  await Process.pollUntil(statuses, (all) => all.every((one) => one === 401))
  // A notification of the revoked key arrives within some milliseconds. Without notifications, the servers would check
  // the key again only after 3 seconds.
  expect(performance.now() - revokedAt).toBeLessThan(1000)
  for (const { stop } of processes) expect(await stop()).toMatchObject({ code: 0 })
})

it("without notifications, workers find work by polling, and servers refuse revoked keys within 5 seconds", async (test) => {
  const { cwd, env, key, keyId, persona, processes, servers } = await service(test, { past: false })
  await Partner.submitTopic(servers[0]?.apiRoot ?? "", key, persona.id)
  await Process.pollUntil(
    () => Outbox.readOutbox(cwd),
    ({ length }) => length > 0
  )
  await Process.runJsonCommand(cwd, ["key", "revoke", keyId], env)
  const revokedAt = performance.now()
  for (const { apiRoot } of servers) {
    await Process.pollUntil(
      async () => (await Partner.callApi(apiRoot, key, "/personas")).status,
      (status) => status === 401
    )
  }
  expect(performance.now() - revokedAt).toBeLessThan(5000)
  for (const { stop } of processes) expect(await stop()).toMatchObject({ code: 0 })
})
