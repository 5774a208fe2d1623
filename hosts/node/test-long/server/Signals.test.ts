/**
 * Tests that processes on one Postgres database notify each other, so that revocations and new work take effect before
 * the next poll.
 */
import { expect, it } from "vitest"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

it("other processes refuse a revoked key and a suspended organization's key, and start new work, before their next poll", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const env = { ...(await OwnDatabase.makeEmptyDatabase(test)), WORKER_POLL_INTERVAL: "10 minutes" }
  const server = await Process.startService(cwd, ["serve", "--no-worker"], env)
  const other = await Process.startServiceProcess(cwd, ["serve", "--no-worker"], env)
  const port = String(new URL(server.apiRoot).port)
  const worker = await Process.startServiceProcess(cwd, ["worker"], { ...env, PORT: port, PUBLIC_URL: server.apiRoot })
  const { key, keyId, organization, persona } = await Partner.registerPartner(cwd, env)

  const outbox = () => fetch(`${server.apiRoot}/dev/outbox`).then((response) => response.text())
  const mails = async () => (await outbox()).split("ada@creators.test").length - 1
  const firstSent = Process.pollUntil(mails, (count) => count > 0)
  await Partner.submitTopic(server.apiRoot, key, persona.id)
  await firstSent

  // When the LISTEN connection is restored, each process queries the changes whose notifications it missed.
  const before = await mails()
  await OwnDatabase.queryRows(
    env,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
  )
  await Partner.submitTopic(other.apiRoot, key, persona.id)
  await Process.pollUntil(mails, (count) => count > before)

  const statuses = () =>
    Promise.all([server, other].map(async ({ apiRoot }) => (await Partner.callApi(apiRoot, key, "/personas")).status))
  const listening = () =>
    OwnDatabase.queryRows(
      env,
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    )
  await Process.pollUntil(listening, ({ length }) => length === 3)
  /** The notification of a change arrives some milliseconds after the command has ended. */
  const soon = (wanted: number) => Process.pollUntil(statuses, (both) => both.every((status) => status === wanted))
  await soon(200)
  await Process.runJsonCommand(cwd, ["org", "suspend", organization.id], env)
  await soon(401)
  await Process.runJsonCommand(cwd, ["org", "resume", organization.id], env)
  await soon(200)
  await Process.runJsonCommand(cwd, ["key", "revoke", keyId], env)
  await soon(401)
  // Each process has a heartbeat row in the database until the process has stopped.
  const processes = () => OwnDatabase.queryRows(env, "SELECT version, schema_id FROM processes")
  expect(await processes()).toHaveLength(3)
  for (const { stop } of [worker, other, server]) expect(await stop()).toMatchObject({ code: 0 })
  expect(await processes()).toEqual([])
})
