/** Tests that the example of a Lambda function answers a request and a schedule, on a separate Postgres database. */
import { join } from "node:path"
import type { PartnerCommentary } from "partner-commentary/PartnerCommentary"
import { expect, it, onTestFinished, vi } from "vitest"
import { createEmptyDatabase } from "./HostDatabase.ts"

const example = join(import.meta.dirname, "../../../../examples/frameworks/lambda.ts")

it("the example's Lambda function answers an event of API Gateway and an event of a schedule", async () => {
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv("DATABASE_URL", await createEmptyDatabase())
  vi.stubEnv("COMMENTARY_SECRET", "a secret of the tests, and long enough")
  vi.stubEnv("SMTP_URL", "smtp://127.0.0.1:1")
  const { handler }: { readonly handler: PartnerCommentary["lambda"] } = await import(example)
  const invocation = { getRemainingTimeInMillis: () => 60_000 }
  const requestContext = { http: { method: "GET", sourceIp: "203.0.113.9" } }
  const answer = await handler({ version: "2.0", rawPath: "/readyz", requestContext }, invocation)
  expect(answer).toMatchObject({ statusCode: 200 })
  const schedule = { "detail-type": "Scheduled Event", source: "aws.events" }
  expect(await handler(schedule, invocation)).toEqual({ taken: 0, more_due: false })
})
