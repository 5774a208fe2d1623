/** Tests section 1 of the specification: the service's functions and the rules for all requests. */
import { assert, layer } from "@effect/vitest"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import { findValuesAtPath } from "../support/conformance/Fields.ts"
import { makeOperationExamples } from "../support/conformance/Operations.ts"
import {
  bringAssignmentToState,
  layerOfServiceUnderTest,
  openCreatorLink,
  samplePerspective,
  seedPartner,
  sendRequest,
  submitTopicWithStates,
  waitForCreatorMails,
  waitForState
} from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"
const timestamps = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/
/** The expected fields of each operation whose response does not have the format {success, data}. */
const shapes: Readonly<Record<string, Array<string>>> = {
  "GET /topics": ["success", "data", "pagination"],
  "GET /events": ["success", "data", "pagination"],
  "GET /webhooks/{id}/deliveries": ["success", "data", "pagination"],
  "POST /webhooks/{id}/test": ["success", "test_event_id", "delivery_status", "response_code", "error"]
}
const lookups = (id: string) => [
  `/topics/${id}`,
  `/topics/${id}/status`,
  `/topics/${id}/commentaries`,
  "/topics/by-reference/game-1"
]

layer(layerOfServiceUnderTest)("specification 1", (it) => {
  it.effect(
    "a partner submits a topic (a short question, statement or prompt) together with a list of persona ids",
    () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const personas = [yield* by.persona(), yield* by.persona()]
        for (const said of ["Who wins tonight?", "The Lakers win tonight.", "Tell us about tonight's game"]) {
          const { personas_sent } = yield* by.submit(said, personas)
          assert.strictEqual(personas_sent, 2)
        }
      })
  )

  it.effect(
    "for each persona that the partner is licensed for, the service notifies the persona's human creator by e-mail",
    () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const licensed = [yield* by.persona(), yield* by.persona()]
        const foreign = yield* (yield* seedPartner()).persona()
        yield* by.submit(content, [...licensed, foreign])
        for (const persona of licensed) {
          const [mail] = yield* waitForCreatorMails(persona, content)
          assert.strictEqual(mail?.to.address, persona.creator.email)
        }
        assert.deepStrictEqual(yield* (yield* Mailbox).to(foreign.creator.email), [])
      })
  )

  it.effect(
    "the creator adds a perspective, an automated step generates the commentary, and the creator approves it",
    () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const persona = yield* by.persona()
        const { topic_id: id } = yield* by.submit(content, [persona])
        const { act, look } = yield* openCreatorLink(persona, content)
        assert.strictEqual((yield* act("respond", { perspective: samplePerspective })).status, 200)
        yield* waitForState(by, id, persona, "commentary_generated")
        const { body } = yield* look
        assert.include(body.data.draft.content, samplePerspective)
        assert.strictEqual((yield* act("approve")).body.data.status, "creator_approved")
      })
  )

  it.effect("the partner fetches approved commentaries by topic id or by its own external_reference", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id } = yield* submitTopicWithStates(by, content, ["creator_approved"], { external_reference: "game-1" })
      const texts = [
        (yield* by.get(`/topics/${id}/commentaries`)).body.data.commentaries[0].content,
        (yield* by.get(`/topics/${id}`)).body.data.commentaries[0].commentary.content,
        (yield* by.get("/topics/by-reference/game-1")).body.data.commentaries[0].commentary.content
      ]
      assert.include(texts[0], samplePerspective)
      assert.deepStrictEqual(texts, [texts[0], texts[0], texts[0]])
    })
  )

  it.effect("generation is asynchronous: clients poll a status endpoint", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const persona = yield* by.persona()
      const { status, topic_id: id } = yield* by.submit(content, [persona])
      assert.strictEqual(status, "pending")
      const poll = Effect.map(by.get(`/topics/${id}/status`), ({ body }) => body.data.overall_status)
      assert.strictEqual(yield* poll, "pending")
      yield* bringAssignmentToState({ by, content, id }, persona, "creator_approved")
      assert.strictEqual(yield* poll, "completed")
    })
  )

  it.effect(
    "the service also offers lists of licensed personas, usage and quota statistics, API keys and webhooks",
    () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const token = yield* Seed.issueDashboardToken(by.organization)
        for (const path of ["/personas", "/usage", "/webhooks"]) assert.strictEqual((yield* by.get(path)).status, 200)
        assert.strictEqual((yield* sendRequest("/partner/v1/api-keys", { token })).status, 200)
      })
  )

  it.effect("a partner organization sees only its own data", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const other = yield* seedPartner()
      const { id, personas } = yield* submitTopicWithStates(by, content, ["creator_approved"], {
        external_reference: "game-1"
      })
      const webhook = yield* by.post("/webhooks", { url: "https://receiver.example/", events: ["creator.approved"] })
      const own = [...lookups(id), `/personas/${personas[0]?.id}`, `/webhooks/${webhook.body.data.id}`]
      for (const path of own) {
        assert.strictEqual((yield* by.get(path)).status, 200, path)
        assert.include([403, 404], (yield* other.get(path)).status, path)
      }
      for (const path of ["/topics", "/personas", "/webhooks"])
        assert.deepStrictEqual((yield* other.get(path)).body.data, [], path)
      assert.strictEqual((yield* other.get("/usage")).body.data.usage.topics_created, 0)
      const keys = yield* sendRequest("/partner/v1/api-keys", {
        token: yield* Seed.issueDashboardToken(other.organization)
      })
      assert.deepStrictEqual(findValuesAtPath(keys.body, "data[].id"), [other.keyId])
    })
  )

  it.effect(
    "request and response bodies are JSON: a success is {success: true, data}, an error is {success: false, error: {code, message, details?}}",
    () =>
      Effect.gen(function* () {
        for (const { accepted, name, refused, unauthorized } of yield* makeOperationExamples) {
          const good = yield* accepted
          assert.include([200, 201], good.status, `${name}: ${good.text}`)
          assert.strictEqual(good.headers.get("content-type"), "application/json", name)
          assert.strictEqual(good.body.success, true, name)
          assert.sameMembers(Object.keys(good.body), shapes[name] ?? ["success", "data"], name)
          for (const bad of [yield* refused, yield* unauthorized]) {
            assert.include([400, 401, 404], bad.status, `${name}: ${bad.text}`)
            assert.strictEqual(bad.headers.get("content-type"), "application/json", name)
            assert.sameMembers(Object.keys(bad.body), ["success", "error"], name)
            assert.strictEqual(bad.body.success, false, name)
            const { code, details, message, ...rest } = bad.body.error
            assert.deepStrictEqual([typeof code, typeof message, rest], ["string", "string", {}], name)
            assert.isTrue(details === undefined || (typeof details === "object" && details !== null), name)
          }
        }
      })
  )

  it.effect("the tests of this file call every operation of the API description that responds with JSON", () =>
    Effect.gen(function* () {
      const { body } = yield* sendRequest("/openapi.json")
      const described = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, { responses }]) => responses[200]?.content["text/event-stream"] === undefined)
          .map(([method]) => `${method.toUpperCase()} ${path}`)
      )
      const called = (yield* makeOperationExamples).map(({ name }) =>
        name.replace("/by-reference/mine", "/by-reference/{ref}")
      )
      assert.sameMembers(
        called,
        described.map((each) => each.replace("/partner/v1", "").replaceAll(/\{(?!ref\})\w+\}/g, "{id}"))
      )
    })
  )

  it.effect("requests with a body send Content-Type: application/json", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const persona = yield* by.persona()
      const body = { content, persona_ids: [persona.id] }
      const plain = yield* by.post("/topics", body, { headers: { "content-type": "text/plain" } })
      assert.deepStrictEqual([plain.status, plain.body.error.details.field], [400, "content-type"])
      assert.strictEqual((yield* by.post("/topics", body)).status, 201)
    })
  )

  it.effect("timestamps are ISO 8601 UTC strings", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id, topic } = yield* submitTopicWithStates(by, content, ["creator_approved"], {
        external_reference: "game-1"
      })
      const seen: Array<unknown> = [topic.created_at]
      const collect = (value: unknown, key = ""): void => {
        if (/_at$|^(start|end|from|to)$/.test(key) && value !== null) seen.push(value)
        else if (typeof value === "object" && value !== null)
          for (const [inner, each] of Object.entries(value)) collect(each, inner)
      }
      for (const path of [...lookups(id), "/topics", "/usage", "/metrics/performance"])
        collect((yield* by.get(path)).body.data)
      collect(
        (yield* by.post("/webhooks", { url: "https://receiver.example/", events: ["creator.approved"] })).body.data
      )
      assert.isAbove(seen.length, 10)
      for (const moment of seen) assert.match(String(moment), timestamps)
    })
  )

  it.effect("the list-topics response carries a pagination object next to data", () =>
    Effect.gen(function* () {
      const { body } = yield* (yield* seedPartner()).get("/topics")
      assert.isArray(body.data)
      assert.isObject(body.pagination)
    })
  )

  it.effect("the response of the webhook test has no data wrapper", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const made = yield* by.post("/webhooks", { url: "https://receiver.example/", events: ["creator.approved"] })
      const { body } = yield* by.post(`/webhooks/${made.body.data.id}/test`)
      assert.notProperty(body, "data")
      assert.deepInclude(body, { success: true, delivery_status: "delivered", response_code: 200, error: null })
    })
  )

  it.effect(
    "the machine-readable API description is served at {api_root}/openapi.json and an interactive explorer at {api_root}/docs",
    () =>
      Effect.gen(function* () {
        const description = yield* sendRequest("/openapi.json")
        assert.strictEqual(description.status, 200)
        assert.match(description.body.openapi, /^3\.1/)
        assert.property(description.body.paths, "/partner/v1/topics")
        const explorer = yield* sendRequest("/docs")
        assert.strictEqual(explorer.status, 200)
        assert.match(explorer.headers.get("content-type") ?? "", /^text\/html/)
        assert.match(explorer.text, /<script/)
      })
  )

  it.effect("all paths are relative to {base_url}, which is {api_root}/partner/v1", () =>
    Effect.gen(function* () {
      const { key } = yield* seedPartner()
      assert.strictEqual((yield* sendRequest("/partner/v1/personas", { key })).status, 200)
      for (const path of ["/personas", "/v1/personas", "/partner/personas", "/partner/v2/personas"])
        assert.strictEqual((yield* sendRequest(path, { key })).status, 404, path)
    })
  )
})
