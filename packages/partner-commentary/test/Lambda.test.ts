/** Tests that `pc.lambda` handles events of API Gateway, runs due jobs on a schedule, and reports a failed start. */
import { expect, it, onTestFinished } from "vitest"
import { type PartnerCommentary, PartnerCommentaryError, partnerCommentary } from "../src/PartnerCommentary.ts"
import { sqlite } from "../src/sqlite/Sqlite.ts"

const lines: Array<string> = []
const write = (line: string, fields: object) => void lines.push(`${line} ${JSON.stringify(fields)}`)

const options = {
  url: "https://app.example/commentary",
  secret: "32 characters or more, kept elsewhere",
  database: sqlite(":memory:"),
  generator: () => "A commentary.",
  logger: { debug: write, info: write, warn: write, error: write },
  workers: false
}

const invocation = { getRemainingTimeInMillis: () => 60_000 }

const get = (rawPath: string, headers: Record<string, string> = {}) => ({
  version: "2.0",
  rawPath,
  headers,
  requestContext: { http: { method: "GET", sourceIp: "203.0.113.9" } }
})

const asks = async (pc: PartnerCommentary) => {
  const { id: organization_id } = await pc.organizations.create({ name: "Courtside" })
  const { id: persona_id } = await pc.personas.create({ name: "Ada", creator: { email: "ada@creators.example" } })
  await pc.licenses.grant({ organization_id, persona_id })
  await pc.topics.submit({ organization_id, content: "Who wins the derby on Sunday?", persona_ids: [persona_id] })
}

it("the Lambda function handles requests below the path of the option url, and checks address lists against the client's address in the event", async () => {
  const pc = partnerCommentary({ ...options, mail: () => {} })
  onTestFinished(pc.stop)
  const { id: organization_id } = await pc.organizations.create({ name: "Courtside" })
  const wanted = { name: "k", scopes: ["personas:read"] as const, ip_whitelist: ["203.0.113.9"] }
  const { full_key } = await pc.apiKeys.create({ organization_id, ...wanted })
  const asked = get("/commentary/partner/v1/personas", { "x-api-key": full_key })
  expect(await pc.lambda(asked, invocation)).toMatchObject({ statusCode: 200, isBase64Encoded: false })
})

it("the Lambda function runs due jobs on a schedule", async () => {
  const mails: Array<{ readonly to: { readonly address: string } }> = []
  const pc = partnerCommentary({ ...options, mail: (message) => mails.push(message) })
  onTestFinished(pc.stop)
  await asks(pc)
  const schedule = { source: "aws.scheduler" }
  expect(await pc.lambda(schedule, invocation)).toMatchObject({ taken: expect.any(Number), more_due: false })
  expect(mails.map(({ to }) => to.address)).toEqual(["ada@creators.example"])
})

it("the Lambda function and drain end at their time limit if a mail function hangs, and the mail is sent later", async () => {
  const pc = partnerCommentary({ ...options, mail: () => new Promise(() => {}) })
  onTestFinished(pc.stop)
  const seconds = async (work: () => Promise<unknown>) => {
    const start = performance.now()
    expect(await work()).toMatchObject({ taken: expect.any(Number) })
    return (performance.now() - start) / 1000
  }
  await asks(pc)
  expect(await seconds(() => pc.operations.drain({ timeout: 500 }))).toBeLessThan(10)
  expect(lines.join()).toMatch(/A mail must wait.*the application did not answer in time/)
  await asks(pc)
  const soon = { getRemainingTimeInMillis: () => 1000 }
  expect(await seconds(() => pc.lambda({ source: "aws.scheduler" }, soon))).toBeLessThan(10)
})

it("the Lambda function rejects an event of an unknown source, and the error is one sentence", async () => {
  const pc = partnerCommentary({ ...options, mail: () => {} })
  onTestFinished(pc.stop)
  const refused = { code: "invalid_argument", details: { field: "event" } }
  const error = await pc.lambda({ Records: [] }, invocation).catch((error) => error)
  expect(error).toBeInstanceOf(PartnerCommentaryError)
  expect(error).toMatchObject({
    ...refused,
    message: expect.stringMatching(/^This function takes events of API Gateway.*\.$/)
  })
  expect(await pc.lambda({ rawPath: "/", version: "2.0" }, invocation).catch((error) => error)).toMatchObject({
    ...refused,
    message: expect.stringMatching(
      /^This looks like an event of an HTTP API or a function URL, but is none: [\s\S]*\.$/
    )
  })
  expect(await pc.lambda({}, invocation).catch((error) => error)).toMatchObject(refused)
  for (const wrong of [{}, { getRemainingTimeInMillis: 3000 }]) {
    expect(await pc.lambda({ source: "aws.scheduler" }, wrong as never).catch((error) => error)).toMatchObject({
      code: "invalid_argument",
      details: { field: "invocation" }
    })
  }
})

it("a service that cannot start answers 500, and logs the reason with the response's request id", async () => {
  const database = sqlite("/dev/null/commentary.db")
  const pc = partnerCommentary({ ...options, database, mail: () => {} })
  onTestFinished(pc.stop)
  const answer = await pc.lambda(get("/commentary/healthz", { "x-request-id": "mine-1" }), invocation)
  expect(answer).toMatchObject({ statusCode: 500, headers: { "x-request-id": "mine-1" } })
  await expect.poll(() => lines.join()).toMatch(/A request was not answered.*mine-1/)
})
