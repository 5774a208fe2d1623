/**
 * Lists every operation of the service with one accepted and one refused request. Each request uses resources that are
 * created only for this request.
 */
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import { eventually } from "../Eventually.ts"
import { type AssignmentState, seedPartner, sendRequest, startTime, submitTopicWithStates } from "./ServiceUnderTest.ts"

const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
const url = "https://receiver.example/commentary"

/** Creates topics, a webhook, a key and the other resources that the operations need. */
export const makeOperationExamples = Effect.gen(function* () {
  const by = yield* seedPartner()
  const token = yield* Seed.issueDashboardToken(by.organization)
  const webhook: string = (yield* by.post("/webhooks", { url, events: ["creator.approved"] })).body.data.id
  const states: ReadonlyArray<AssignmentState> = ["creator_approved", "topic_sent"]
  const { content, id, personas } = yield* submitTopicWithStates(by, "Will the Lakers make it?", states, {
    external_reference: "mine"
  })
  const [persona] = personas.map((each) => each.id)
  const ready = yield* by.get(`/topics/${id}/commentaries`)
  const commentary: string = ready.body.data.commentaries[0].commentary_id
  const delivery: string = yield* eventually(
    "the delivery",
    Effect.map(by.get(`/webhooks/${webhook}/deliveries`), ({ body }) => body.data[0]?.id)
  )
  const testKey = (yield* Seed.issueApiKey(by.organization, { environment: "test" })).text
  const wren = "7e570000-0000-4000-8000-000000000005"
  const test = yield* by.post("/topics", { content, persona_ids: [wren] }, { key: testKey })
  const share: string = test.body.data.results[0].share_id
  const spare = yield* Seed.issueApiKey(by.organization)
  const revoked = yield* Seed.issueApiKey(by.organization)

  const topic = { content: `${content} Really?`, persona_ids: [persona] }
  const wrong = { content: 1 }
  const dashboard = { headers: { authorization: `Bearer ${token}` } }
  /** Each row has the method, the path, an accepted body, a refused body or path, and the caller's credentials. */
  const table: ReadonlyArray<readonly [string, string, unknown, unknown, { key?: string; headers?: object }?]> = [
    ["POST", "/topics", topic, wrong],
    ["GET", "/topics", undefined, "/topics?limit=0"],
    ["GET", `/topics/${id}`, undefined, `/topics/${unknown}`],
    ["GET", `/topics/${id}/status`, undefined, `/topics/${unknown}/status`],
    ["GET", `/topics/${id}/commentaries`, undefined, `/topics/${unknown}/commentaries`],
    ["GET", "/topics/by-reference/mine", undefined, "/topics/by-reference/nobodys"],
    ["POST", "/topics/bulk", { topics: [topic] }, wrong],
    ["POST", `/topics/${id}/commentaries/${commentary}/approve`, {}, `/topics/${id}/commentaries/${unknown}/approve`],
    ["POST", `/topics/${id}/cancel`, undefined, `/topics/${unknown}/cancel`],
    ["GET", "/personas", undefined, undefined],
    ["GET", `/personas/${persona}`, undefined, `/personas/${unknown}`],
    ["GET", "/usage", undefined, undefined],
    ["GET", "/me", undefined, undefined],
    ["GET", "/events", undefined, "/events?limit=0"],
    ["GET", "/metrics/performance", undefined, "/metrics/performance?from=x"],
    ["POST", "/webhooks", { url, events: ["creator.approved"] }, wrong],
    ["GET", "/webhooks", undefined, undefined],
    ["GET", `/webhooks/${webhook}`, undefined, `/webhooks/${unknown}`],
    ["PATCH", `/webhooks/${webhook}`, { status: "paused" }, { status: "disabled" }],
    ["POST", `/webhooks/${webhook}/test`, undefined, `/webhooks/${unknown}/test`],
    ["GET", `/webhooks/${webhook}/deliveries`, undefined, `/webhooks/${webhook}/deliveries?limit=0`],
    ["GET", `/webhooks/${webhook}/deliveries/${delivery}`, undefined, `/webhooks/${webhook}/deliveries/${unknown}`],
    [
      "POST",
      `/webhooks/${webhook}/deliveries/${delivery}/retry`,
      undefined,
      `/webhooks/${webhook}/deliveries/${unknown}/retry`
    ],
    ["POST", `/webhooks/${webhook}/recover`, { since: new Date(startTime - 3_600_000).toISOString() }, wrong],
    ["POST", `/webhooks/${webhook}/rotate-secret`, {}, { grace_period_seconds: -1 }],
    ["DELETE", `/webhooks/${webhook}`, undefined, `/webhooks/${unknown}`],
    ["POST", `/test/assignments/${share}/advance`, {}, { action: "sing" }, { key: testKey }],
    ["POST", "/api-keys", { name: "Backend", scopes: ["topics:read"] }, wrong, dashboard],
    ["GET", "/api-keys", undefined, undefined, dashboard],
    ["GET", `/api-keys/${spare.id}`, undefined, `/api-keys/${unknown}`, dashboard],
    ["PATCH", `/api-keys/${spare.id}`, { name: "Changed" }, { name: 1 }, dashboard],
    ["POST", `/api-keys/${spare.id}/rotate`, {}, `/api-keys/${unknown}/rotate`, dashboard],
    ["DELETE", `/api-keys/${revoked.id}`, undefined, `/api-keys/${unknown}`, dashboard]
  ]
  return table.map(([method, path, good, bad, who = { key: by.key }]) => {
    const send = (at: string, body: unknown, as: object) =>
      sendRequest(`/partner/v1${at}`, { method, ...(body === undefined ? {} : { body }), ...as })
    return {
      name: `${method} ${path.replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "{id}")}`,
      /** A valid request, which the service accepts only the first time. */
      accepted: send(path, good, who),
      /** This request fails because of its body, its path, or missing credentials. */
      refused:
        typeof bad === "string"
          ? send(bad, good, who)
          : bad === undefined
            ? send(path, good, {})
            : send(path, bad, who),
      /** The valid request without credentials. */
      unauthorized: send(path, good, {}),
      /** The body of the valid request. */
      body: good,
      /** A request with the path and the caller of the valid request, and with the body `text`. */
      raw: (text: string, type = "application/json") =>
        send(path, text, { ...who, headers: { ...who.headers, "content-type": type } })
    }
  })
})
