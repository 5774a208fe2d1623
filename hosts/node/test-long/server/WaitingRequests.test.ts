/**
 * Tests requests with `Prefer: wait` in real processes: a change by another process, a stop, and clients that
 * disconnect.
 */
import { request } from "node:http"
import { concurrencyPoolLimits } from "@partner-commentary/core/access/ConcurrencyLimit"
import { expect, it } from "vitest"
import * as OwnDatabase from "../../test/support/OwnDatabase.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

/** The id of the test persona whose assignments never advance by themselves. */
const waitingPersonaId = "7e570000-0000-4000-8000-000000000005"

const plenty = ["requests_per_hour", "burst_per_minute"].flatMap((name) => ["--limit", `${name}=100000`])

const startScene = async (test: Process.TestCleanup, env: Process.EnvironmentVariables) => {
  const cwd = await Process.makeWorkingFolder(test)
  const server = await Process.startServiceProcess(cwd, ["serve", "--no-worker"], env)
  const { id, key } = await Partner.registerTestPartner(cwd, "Acme Sports", env)
  await Process.runJsonCommand(cwd, ["org", "update", id, ...plenty], env)
  const content = "Who wins the derby?"
  const { body } = await Partner.callApi(server.apiRoot, key, "/topics", { content, persona_ids: [waitingPersonaId] })
  const { results, topic_id: topicId } = body.data
  const wait = (signal?: AbortSignal) =>
    new Promise<{ readonly status: number | undefined; readonly applied: unknown; readonly text: string }>(
      (resolve, reject) => {
        const headers = { "x-api-key": key, prefer: "wait=30" }
        const url = `${server.apiRoot}/partner/v1/topics/${topicId}/status`
        const sent = request(url, { agent: false, headers, ...(signal && { signal }) }, (response) => {
          let text = ""
          response.setEncoding("utf8").on("data", (part) => (text += part))
          response.on("end", () =>
            resolve({ status: response.statusCode, applied: response.headers["preference-applied"], text })
          )
        })
        sent.on("error", reject).end()
      }
    )
  const limits = async () => {
    const response = await fetch(`${server.apiRoot}/partner/v1/me`, { headers: { "x-api-key": key } })
    return Number(response.headers.get("x-ratelimit-remaining"))
  }
  /**
   * Sends requests with `Prefer: wait`. Resolves when the service has counted all sent requests toward the rate limit.
   */
  const startWaiting = async (count: number) => {
    const before = await limits()
    const answers = Promise.all(Array.from({ length: count }, () => wait()))
    let looks = 0
    await Process.pollUntil(limits, (left) => before - left - ++looks >= count)
    return { answers }
  }
  return { cwd, server, key, wait, startWaiting, shareId: results[0].share_id as string }
}

it("a change by another process on Postgres ends the wait of requests with `Prefer: wait`", async (test) => {
  const env = await OwnDatabase.makeEmptyDatabase(test)
  const { cwd, key, server, shareId, startWaiting } = await startScene(test, env)
  const other = await Process.startServiceProcess(cwd, ["serve", "--no-worker"], env)
  const began = performance.now()
  const { answers } = await startWaiting(10)
  const advanced = await Partner.callApi(other.apiRoot, key, `/test/assignments/${shareId}/advance`, {})
  expect(advanced.status).toBe(200)
  for (const { applied, status, text } of await answers) {
    expect([status, applied]).toEqual([200, "wait"])
    expect(JSON.parse(text).data.personas[0].status).not.toBe("topic_sent")
  }
  // Without a notification from the other process, the responses would arrive only after thirty seconds.
  expect(performance.now() - began).toBeLessThan(20_000)
  expect(await other.stop()).toMatchObject({ code: 0 })
  expect(await server.stop()).toMatchObject({ code: 0 })
})

it("SIGTERM answers waiting requests, and the process exits with code 0", async (test) => {
  const { server, startWaiting } = await startScene(test, { DEV: "true" })
  const { answers } = await startWaiting(20)
  const stopped = server.stop()
  for (const { status } of await answers) expect(status).toBe(200)
  expect(await stopped).toMatchObject({ code: 0 })
})

it("after clients disconnect, their waiting requests end and other requests can wait", async (test) => {
  const { wait } = await startScene(test, { DEV: "true" })
  const { each } = concurrencyPoolLimits.waiting
  const clients = new AbortController()
  const polls = Promise.allSettled(Array.from({ length: each }, () => wait(clients.signal)))
  await Process.pollUntil(
    () => Promise.race([wait(clients.signal), new Promise<null>((resolve) => setTimeout(resolve, 500, null))]),
    (answer) => answer?.status === 429
  )
  clients.abort()
  expect((await polls).every(({ status }) => status === "rejected")).toBe(true)
  await Process.pollUntil(
    () => Promise.race([wait(), new Promise<null>((resolve) => setTimeout(resolve, 500, null))]),
    (answer) => answer === null
  )
})
