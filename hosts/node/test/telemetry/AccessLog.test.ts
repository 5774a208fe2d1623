/** Tests of the access log, which the variable LOG_REQUESTS enables. */
import { expect, it } from "vitest"
import * as Outbox from "../support/Outbox.ts"
import * as Partner from "../support/Partner.ts"
import * as Process from "../support/Process.ts"

interface Line {
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

const requests = (stderr: string) =>
  stderr
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ message }) => message === "Request")
    .map(({ annotations }) => annotations)

it("the access log contains each request's route, status, time, organization and request id, but never a token", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const service = await Process.startService(cwd, ["serve"], { LOG_REQUESTS: "true" })
  const { key, persona } = Partner.readDemoCredentials(service)
  const shareId = await Partner.submitTopic(service.apiRoot, key, persona.id)
  const [mail = ""] = await Process.pollUntil(
    () => Outbox.readOutbox(cwd),
    ({ length }) => length > 0
  )
  const link = /http:\/\/[^\s"]+\/creator\/([\w.-]+)/.exec(mail.replaceAll("=\r\n", ""))
  const token = link?.[1] ?? ""
  expect(token.length).toBeGreaterThan(20)
  const ask = (path: string, headers: Record<string, string> = {}) => fetch(`${service.apiRoot}${path}`, { headers })
  const [topic] = (await Partner.callApi(service.apiRoot, key, "/topics")).body.data
  expect((await ask(`/creator/${token}`)).status).toBe(200)
  await ask(`/partner/v1/topics/${topic.topic_id}/status`, { "x-api-key": key, "x-request-id": "poll-1" })
  await ask("/partner/v1/topics", { "x-request-id": "anonymous-1" })
  await ask(`/nothing/${token}`)
  await ask(`/partner/v1/topics/${topic.topic_id}`, { "x-api-key": key })
  const { stderr } = await service.stop()

  const lines = requests(stderr)
  const of = (method: string, route: string, status: number) =>
    lines.filter((line) => line["method"] === method && line["route"] === route && line["status"] === status)
  expect(of("POST", "/partner/v1/topics", 201)).toHaveLength(1)
  expect(of("GET", "/partner/v1/topics/by-reference/:ref", 200)).toHaveLength(1)
  expect(of("GET", "/partner/v1/topics/:id", 200)).toHaveLength(1)
  expect(of("GET", "/creator/*", 200)).toHaveLength(1)
  expect(of("GET", "unknown", 404)).toHaveLength(1)
  const [poll] = of("GET", "/partner/v1/topics/:id/status", 200)
  const organization_id = expect.stringMatching(/^[0-9a-f-]{36}$/)
  expect(poll).toMatchObject({ request_id: "poll-1", organization_id, topic_id: topic.topic_id })
  expect(poll?.["ms"]).toBeGreaterThan(0)
  const [anonymous] = of("GET", "/partner/v1/topics", 401)
  expect(anonymous).toMatchObject({ request_id: "anonymous-1" })
  expect(anonymous).not.toHaveProperty("organization_id")
  expect(stderr).not.toContain(token)
  expect(JSON.stringify(lines)).not.toContain(shareId)
})

it("the access log is disabled by default", async (test) => {
  const cwd = await Process.makeWorkingFolder(test)
  const service = await Process.startService(cwd, ["serve"])
  await fetch(`${service.apiRoot}/partner/v1/topics`)
  expect(requests((await service.stop()).stderr)).toEqual([])
})
