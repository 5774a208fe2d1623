/** Tests `ETag` and `If-None-Match` on the views of topics. */
import { assert, it } from "@effect/vitest"
import type { OrganizationLimits } from "@partner-commentary/core/partner/Plan"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import { TestPartnerCommentary } from "@partner-commentary/test/TestPartnerCommentary"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { test } from "vitest"
import { submitTopic } from "../support/Requests.ts"

test("a view's ETag changes with every change of the view, from the submission to the topic's last status", async () => {
  await using pc = await TestPartnerCommentary.make({ media: ["audio"], now: "2026-03-01T09:00:00Z" })
  const { organization, personas } = await pc.seed({ personas: ["Ada Vance", "Ben Okoro", "Cleo Marsh"] })
  const client = pc.client(organization)
  const key = organization.apiKey
  const { topic_id } = await client.topics.create({
    content: "Who takes the title this season?",
    persona_ids: personas.map(({ id }) => id),
    output_types: ["text", "audio"]
  })
  const views = ["/status", "", "/commentaries"].map((view) => `/partner/v1/topics/${topic_id}${view}`)
  const seen = new Map<string, { readonly tag: string; readonly body: string }>()
  let changes = 0

  /** Reads every view with its known ETag and without an ETag. */
  const look = async (step: string, mustChange = true) => {
    let changed = false
    for (const path of [...views, "/partner/v1/topics?limit=5"]) {
      const headers = { "x-api-key": key }
      const cached = await (await pc.fetch(path, { headers })).text()
      const plain = await pc.fetch(path, { headers: { ...headers, "cache-control": "no-cache" } })
      const now = { tag: plain.headers.get("etag") ?? "", body: await plain.text() }
      assert.strictEqual(cached, now.body, `${step}: ${path}`)
      assert.match(now.tag, /^W\/"[\w.-]+"$/, path)
      const before = seen.get(path)
      if (before !== undefined) {
        const response = await pc.fetch(path, { headers: { ...headers, "if-none-match": before.tag } })
        const body = await response.text()
        if (now.body !== before.body) {
          assert.strictEqual(response.status, 200, `${step}: ${path}`)
          assert.strictEqual(body, now.body)
          assert.notStrictEqual(now.tag, before.tag, `${step}: ${path}`)
          changed = true
        } else if (now.tag === before.tag) assert.deepStrictEqual([response.status, body], [304, ""], step)
      }
      seen.set(path, now)
    }
    assert.isTrue(!mustChange || changed, step)
    if (changed) changes++
  }

  await look("submitted", false)
  await pc.clock.advance("2 hours")
  const [ada, ben, cleo] = [pc.creator("Ada Vance"), pc.creator("Ben Okoro"), pc.creator("Cleo Marsh")]
  await look("the mails were delivered", false)
  await ada.respond("She will win it, and by some distance.")
  await look("responded")
  await pc.clock.advance("1 hour")
  await ada.revise("Shorter, please.")
  await look("another draft, with another deadline")
  await ada.approve("She will win it.")
  await look("approved")
  const { commentaries } = await client.topics.commentaries(topic_id)
  await client.topics.approveCommentary(topic_id, commentaries[0]?.commentary_id ?? "")
  await look("accepted by the partner")
  await ben.respond("The other one will win it.")
  await look("the second responded")
  await ben.withdraw("No time.")
  await look("withdrawn")
  await cleo.decline("No.")
  await look("declined")
  assert.strictEqual(changes, 7)
  await pc.clock.advance("1 day")
  await look("nothing happened", false)
  assert.strictEqual(changes, 7)
})

const scene = (limits: Partial<OrganizationLimits> = {}) =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization({ limits: { burst_per_minute: 200, ...limits } })
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner)
    const topicId = yield* submitTopic(key, "Who takes the title this season?", [persona], {})
    const { call } = yield* TestApi
    const get = (path: string, tag?: string, caller = key) =>
      call(`/partner/v1/topics${path}`, {
        headers: { "x-api-key": caller, ...(tag === undefined ? {} : { "if-none-match": tag }) }
      })
    const tag = (yield* get(`/${topicId}/status`)).headers.get("etag") ?? ""
    return { get, key, tag, topicId }
  })

it.effect("a 304 response has the ETag and the rate-limit headers, but no body and no content type", () =>
  Effect.gen(function* () {
    const { get, tag, topicId } = yield* scene()
    for (const known of [tag, tag.slice(2), `"other", ${tag}`, "*"]) {
      const response = yield* get(`/${topicId}/status`, known)
      assert.strictEqual(response.status, 304, known)
      assert.strictEqual(yield* Effect.promise(() => response.text()), "")
      assert.strictEqual(response.headers.get("etag"), tag)
      assert.isNull(response.headers.get("content-type"))
      assert.isNotNull(response.headers.get("x-ratelimit-remaining"))
      assert.strictEqual(response.headers.get("cache-control"), "no-store")
    }
    for (const known of ['W/"other"', "", tag.slice(0, -2)]) {
      assert.strictEqual((yield* get(`/${topicId}/status`, known)).status, 200, known)
    }
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)

it.effect("a request with an ETag gets 404 for another organization's topic and for an unknown topic", () =>
  Effect.gen(function* () {
    const { get, tag, topicId } = yield* scene()
    const stranger = yield* Seed.issueApiKey(yield* Seed.createOrganization())
    for (const view of ["/status", "", "/commentaries"]) {
      assert.strictEqual((yield* get(`/${topicId}${view}`)).status, 200)
      assert.strictEqual((yield* get(`/${topicId}${view}`, undefined, stranger.text)).status, 404, view)
    }
    for (const known of [tag, "*"]) {
      assert.strictEqual((yield* get(`/${topicId}/status`, known, stranger.text)).status, 404)
      assert.strictEqual((yield* get("/019c0e1b-7c4e-7000-8000-2f6d1c9e4b10", known)).status, 404)
      assert.strictEqual((yield* get("/no-id/commentaries", known)).status, 404)
    }
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)

it.effect("a request with Cache-Control: no-cache reads the view from the database and not from the cache", () =>
  Effect.gen(function* () {
    const { key, topicId } = yield* scene()
    const { call } = yield* TestApi
    const sql = yield* SqlClient.SqlClient
    const content = (control: string) =>
      Effect.flatMap(
        call(`/partner/v1/topics/${topicId}`, { headers: { "x-api-key": key, "cache-control": control } }),
        (response) => Effect.promise(async () => (await response.json()).data.content)
      )
    assert.strictEqual(yield* content("max-age=0"), "Who takes the title this season?")
    for (const control of ["no-cache", "No-Cache", "no-store, no-cache", "max-age=0,no-cache"]) {
      // This UPDATE does not change the topic's version, so the cached view stays valid.
      yield* sql`UPDATE topics SET content = ${control} WHERE id = ${topicId}`
      assert.notStrictEqual(yield* content("max-age=0"), control, "this view is cached")
      assert.strictEqual(yield* content(control), control)
    }
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)

it.effect("a HEAD request returns the headers of a cached view, and no body", () =>
  Effect.gen(function* () {
    const { get, key, tag, topicId } = yield* scene()
    const { call } = yield* TestApi
    const expected = (yield* get(`/${topicId}/status`)).headers
    const head = yield* call(`/partner/v1/topics/${topicId}/status`, { method: "HEAD", headers: { "x-api-key": key } })
    assert.strictEqual(head.status, 200)
    assert.strictEqual(head.headers.get("etag"), tag)
    assert.strictEqual(head.headers.get("content-length"), expected.get("content-length"))
    assert.strictEqual(yield* Effect.promise(() => head.text()), "")
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)

it.effect(
  "a 304 response counts as a tenth of a request in every rate window, and a response with a body counts as a whole request",
  () =>
    Effect.gen(function* () {
      const { get, topicId } = yield* scene()
      const left = (response: Response) => Number(response.headers.get("x-ratelimit-remaining"))
      const minute = (response: Response) =>
        Number(/"burst_per_minute";r=(\d+)/.exec(response.headers.get("ratelimit") ?? "")?.[1])
      for (const view of ["/status", "", "/commentaries"]) {
        const before = yield* get(`/${topicId}${view}`)
        const tag = before.headers.get("etag") ?? ""
        for (let count = 0; count < 50; count++) {
          assert.strictEqual((yield* get(`/${topicId}${view}`, tag)).status, 304)
        }
        const after = yield* get(`/${topicId}${view}`)
        assert.approximately(left(before) - left(after) - 1, 5, 2, view)
        assert.approximately(minute(before) - minute(after) - 1, 5, 2, view)
      }
      const before = yield* get("")
      for (let count = 0; count < 10; count++) assert.strictEqual((yield* get("", 'W/"other"')).status, 200)
      assert.isAtLeast(left(before) - left(yield* get("")), 10)
    }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)

it.effect("a 304 response that does not count has the rate-limit headers of the key's last counted request", () =>
  Effect.gen(function* () {
    const { get, tag, topicId } = yield* scene()
    const rates = ({ headers }: Response) => ["x-ratelimit-remaining", "ratelimit"].map((name) => headers.get(name))
    for (let count = 0; count < 3; count++) yield* get(`/${topicId}/status`, tag)
    for (let count = 0; count < 60; count++) yield* get("")
    const counted = rates(yield* get(""))
    const unchanged = yield* get(`/${topicId}/status`, tag)
    assert.strictEqual(unchanged.status, 304)
    assert.deepStrictEqual(rates(unchanged), counted)
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)

it.effect("conditional requests beyond the rate limit are refused with 429", () =>
  Effect.gen(function* () {
    const { get, tag, topicId } = yield* scene({ requests_per_hour: 20 })
    const statuses: Array<number> = []
    for (let count = 0; count < 300; count++) statuses.push((yield* get(`/${topicId}/status`, tag)).status)
    const refused = statuses.indexOf(429)
    assert.isAbove(refused, 150)
    assert.isBelow(refused, 205)
    assert.isTrue(statuses.slice(refused).every((status) => status === 429))
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)
