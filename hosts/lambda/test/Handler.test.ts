/** Tests that the Lambda handler answers requests from each event source that Lambda offers, on a service in memory. */
import { assert, it, vi } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import { type HostServices, makeHandler } from "../src/Handler.ts"
import * as Service from "./Service.ts"
import { eventMakersBySource, readExampleEvent } from "./Sources.ts"

for (const [name, event] of Object.entries(eventMakersBySource)) {
  it.effect(`a topic can be submitted and fetched through ${name}`, () =>
    Effect.gen(function* () {
      const owner = yield* Seed.createOrganization()
      const persona = yield* Seed.createPersona(owner)
      const { text: key } = yield* Seed.issueApiKey(owner)
      const handle = yield* Service.makeLambdaHandler
      const ask = (method: string, target: string, body?: string) =>
        Effect.map(
          Effect.promise(() =>
            handle(
              event({
                method,
                target,
                headers: [
                  ["X-Api-Key", key],
                  ["Content-Type", "application/json"]
                ],
                ...(body === undefined ? {} : { body })
              }),
              Service.lambdaContextWithOneMinuteLeft
            )
          ),
          (answer) => {
            const { bytes, ...rest } = Service.normalizeResponse(answer)
            return { ...rest, text: bytes.toString() }
          }
        )
      const created = yield* ask(
        "POST",
        "/partner/v1/topics",
        JSON.stringify({
          content: "Will the Lakers make the play-offs?",
          persona_ids: [persona.id],
          external_reference: "a:b"
        })
      )
      assert.strictEqual(created.status, 201, created.text)
      const shown = yield* ask("GET", "/partner/v1/topics/by-reference/a%3Ab?x=1&x=2")
      assert.strictEqual(shown.status, 200, shown.text)
      assert.strictEqual(JSON.parse(shown.text).data.topic_id, JSON.parse(created.text).data.topic_id)
      assert.strictEqual(shown.headers["content-type"], "application/json")
      assert.match(shown.headers["x-request-id"] ?? "", /^[\w-]{36}$/)
      yield* Effect.promise(handle.dispose)
    }).pipe(Effect.provide(Service.layer))
  )
}

it.effect("on Lambda the response to a request for an event stream contains the existing events and then ends", () =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization()
    const { text: key } = yield* Seed.issueApiKey(owner, { environment: "test" })
    const handle = yield* Service.makeLambdaHandler
    const ask = (method: string, target: string, body?: string) => {
      const headers = [["X-Api-Key", key] as const, ["Content-Type", "application/json"] as const]
      const event = eventMakersBySource["an HTTP API"]?.({
        method,
        target,
        headers,
        ...(body === undefined ? {} : { body })
      })
      return Effect.map(
        Effect.promise(() => handle(event, Service.lambdaContextWithOneMinuteLeft)),
        Service.normalizeResponse
      )
    }
    const empty = yield* ask("GET", "/partner/v1/events/stream")
    assert.deepStrictEqual(
      [empty.status, empty.headers["content-type"], empty.bytes.toString()],
      [200, "text/event-stream", "retry: 10000\n\n:\n\n"]
    )
    const persona = "7e570000-0000-4000-8000-000000000005"
    const content = "Will the Lakers make the play-offs?"
    const created = yield* ask("POST", "/partner/v1/topics", JSON.stringify({ content, persona_ids: [persona] }))
    const [{ share_id }] = JSON.parse(created.bytes.toString()).data.results
    yield* ask("POST", `/partner/v1/test/assignments/${share_id}/advance`, '{"action":"decline"}')
    const first = (yield* ask("GET", "/partner/v1/events/stream")).bytes.toString()
    const [, id = ""] =
      /^retry: 10000\n\nid: .*\nevent: commentary\.failed\ndata: .*\n\nid: (evt_\S+)\nevent: topic\.completed\ndata: .*\n\n:\n\n$/.exec(
        first
      ) ?? []
    assert.notStrictEqual(id, "", first)
    const next = yield* ask("GET", `/partner/v1/events/stream?after=${id}`)
    assert.strictEqual(next.bytes.toString(), "retry: 10000\n\n:\n\n")
    yield* Effect.promise(handle.dispose)
  }).pipe(Effect.provide(Service.layer))
)

/**
 * In these tests, the stage (or the base path of the custom domain) has the same name as the first segment of the
 * service's paths.
 */
for (const name of ["an HTTP API", "an HTTP API that speaks version 1.0", "a REST API"]) {
  for (const domainName of ["id.execute-api.us-east-1.amazonaws.com", "api.example.com"]) {
    it.effect(
      `the stage is removed from the path only once, even if the next path segment has the same name: ${name} at ${domainName}`,
      () =>
        Effect.gen(function* () {
          const handle = yield* Service.makeLambdaHandler
          // API Gateway removes the stage from the event's path only for a REST API at API Gateway's own address.
          const isOff = name === "a REST API" && domainName.includes("execute-api")
          const event = eventMakersBySource[name]?.({ method: "GET", target: "/" }) as ReturnType<
            typeof readExampleEvent
          >
          const path = `${isOff ? "" : "/partner"}/partner/v1/personas`
          const requestContext = { ...event.requestContext, domainName, stage: "partner" }
          const placed = { ...event, ...("rawPath" in event ? { rawPath: path } : { path }), requestContext }
          const { status } = Service.normalizeResponse(
            yield* Effect.promise(() => handle(placed, Service.lambdaContextWithOneMinuteLeft))
          )
          assert.strictEqual(status, 401)
          yield* Effect.promise(handle.dispose)
        }).pipe(Effect.provide(Service.layerWithApiRoot("https://commentary.example/partner")))
    )
  }
}

it.effect("an invalid HTTP request is refused with the error envelope", () =>
  Effect.gen(function* () {
    const handle = yield* Service.makeLambdaHandler
    const event = readExampleEvent("http-api")
    const headers = { "x-request-id": "mine-1", "x-broken": "a\nb" }
    const answer = Service.normalizeResponse(
      yield* Effect.promise(() => handle({ ...event, headers }, Service.lambdaContextWithOneMinuteLeft))
    )
    assert.strictEqual(answer.status, 400)
    assert.deepStrictEqual(answer.headers, {
      "cache-control": "no-store",
      "content-type": "application/json",
      "x-request-id": "mine-1"
    })
    assert.strictEqual(JSON.parse(answer.bytes.toString()).error.code, "invalid_request")
    yield* Effect.promise(handle.dispose)
  }).pipe(Effect.provide(Service.layer))
)

it.effect(
  "if a batch of a scheduled run fails, the run ends with an error, so that an alarm can report the failure",
  () =>
    Effect.gen(function* () {
      const handle = yield* Service.makeLambdaHandler
      const sql = yield* SqlClient.SqlClient
      yield* Effect.orDie(sql`ALTER TABLE deliveries RENAME TO deliveries_away`)
      const failed = yield* Effect.flip(
        Effect.tryPromise(() => handle(readExampleEvent("schedule"), Service.lambdaContextWithOneMinuteLeft))
      )
      assert.match(String(failed.cause), /batches of work failed: the log has the reasons/)
      yield* Effect.promise(handle.dispose)
    }).pipe(Effect.provide(Service.layer))
)

it.effect("a service that cannot start answers with the error envelope, and a later request starts the service", () =>
  Effect.gen(function* () {
    const context = yield* Effect.context<HostServices>()
    let attempts = 0
    const begins = Effect.suspend(() => (++attempts < 3 ? Effect.fail("not yet") : Effect.succeed(context)))
    const handle = makeHandler(Layer.effectContext(begins))
    const event = eventMakersBySource["a load balancer"]?.({ method: "GET", target: "/healthz" })
    const ask = Effect.map(
      Effect.promise(() => handle(event, Service.lambdaContextWithOneMinuteLeft)),
      (answer) => Service.normalizeResponse(answer).status
    )
    const log = vi.spyOn(process.stderr, "write").mockReturnValue(true)
    const statuses = yield* Effect.all([ask, ask, ask, ask]).pipe(Effect.ensuring(Effect.sync(() => log.mockRestore())))
    assert.deepStrictEqual(statuses, [500, 500, 200, 200])
    assert.strictEqual(attempts, 3)
    yield* Effect.promise(handle.dispose)
  }).pipe(Effect.provide(Service.layer))
)
