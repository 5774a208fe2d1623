/**
 * Tests that the inbox of the guide lists the requests of the creator who has logged in, and accepts the creator's
 * answer.
 */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import express, { type ErrorRequestHandler } from "express"
import { partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"
import { expect, it } from "vitest"
import { makeCreatorInboxRouter } from "../own-inbox.ts"

it("a creator can answer in the application's own pages, but cannot answer for another creator", async (test) => {
  const pc = partnerCommentary({
    url: "https://app.example/commentary",
    secret: "32 characters or more, kept elsewhere",
    database: sqlite(":memory:"),
    mail: () => {},
    generator: ({ perspective }) => `As I see it: ${perspective}`
  })
  test.onTestFinished(pc.stop)
  const { id: organization_id } = await pc.organizations.create({ name: "Courtside" })
  const { id: persona_id } = await pc.personas.create({ name: "Ada Vance", creator: { email: "ada@creators.example" } })
  await pc.licenses.grant({ organization_id, persona_id })
  const topic = { content: "Who wins the derby on Sunday?", persona_ids: [persona_id] }
  await pc.topics.submit({ organization_id, ...topic })

  let email = "ada@creators.example"
  const server = express()
    .use(express.json())
    .use(makeCreatorInboxRouter(pc, () => email))
    .listen(0, "127.0.0.1")
  await once(server, "listening")
  test.onTestFinished(() => void server.close().closeAllConnections())
  const ask = async (path: string, body?: object) => {
    const headers = { "content-type": "application/json" }
    const sent = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) }
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, sent)
    return { status: response.status, body: await response.json() }
  }

  const { requests } = (await ask("/requests")).body
  const path = `/requests/${requests[0].share_id}`
  expect(requests[0].status).toBe("topic_sent")
  expect(await ask(`${path}/respond`, { perspective: "Yes." })).toMatchObject({ status: 400 })
  email = "bo@creators.example"
  expect((await ask("/requests")).body.requests).toEqual([])
  expect(await ask(`${path}/respond`, { perspective: "The away side." })).toMatchObject({ status: 404 })
  email = "ada@creators.example"
  expect(await ask(`${path}/respond`, { perspective: "The home side." })).toMatchObject({ status: 200 })
  await expect.poll(async () => (await ask(`${path}/approve`, {})).body.status).toBe("creator_approved")
})

it("if the service cannot start, the creator gets a server error that does not name the database", async (test) => {
  const pc = partnerCommentary({
    url: "https://app.example/commentary",
    secret: "32 characters or more, kept elsewhere",
    database: sqlite(tmpdir()),
    mail: () => {},
    generator: () => ""
  })
  const failed: ErrorRequestHandler = (_error, _request, response, _next) => void response.sendStatus(500)
  const server = express()
    .use(express.json())
    .use(makeCreatorInboxRouter(pc, () => "ada@creators.example"))
    .use(failed)
    .listen(0, "127.0.0.1")
  await once(server, "listening")
  test.onTestFinished(() => void server.close().closeAllConnections())
  const path = "/requests/0190a6f0-7c1e-7000-8000-000000000000/decline"
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { method: "POST" })
  expect([response.status, await response.text()]).toEqual([500, "Internal Server Error"])
})
