/**
 * Tests `Prefer: wait` on a topic's status and on the list of events. The response arrives with the change, or at the
 * end of the wait.
 */
import { assert, it } from "@effect/vitest"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import { concurrencyPoolLimits } from "@partner-commentary/core/access/ConcurrencyLimit"
import { LongPolls } from "@partner-commentary/core/access/LongPolls"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import { parsePreferredWaitSeconds } from "@partner-commentary/server/http/Preference"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import { readJson } from "../support/Json.ts"
import { actAsCreator, findCreatorToken, submitTopic } from "../support/Requests.ts"

const content = "Who takes the title this season?"

const scene = Effect.gen(function* () {
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const key = yield* Seed.issueApiKey(owner)
  const topicId = yield* submitTopic(key.text, content, [persona], {})
  const token = yield* findCreatorToken(persona, content)
  // Deliver the creator's mail first, because its delivery changes the deadline in the status.
  yield* settled()
  const { call } = yield* TestApi
  const get = (path: string, headers: Record<string, string> = {}, caller = key.text) =>
    call(`/partner/v1${path}`, { key: caller, headers })
  const status = `/topics/${topicId}/status`
  const wait = { prefer: "wait=30" }
  /** Starts a request, and returns when the request is waiting. */
  const waiting = (path: string, headers: Record<string, string> = wait) =>
    Effect.tap(Effect.forkChild(get(path, headers)), settled)
  const many = (length: number) =>
    Effect.tap(
      Effect.forEach(Array.from({ length }), () => Effect.forkChild(get(status, wait))),
      settled
    )
  const tag = Effect.map(get(status), ({ headers }) => headers.get("etag") ?? "")
  return { get, key, owner, persona, status, tag, token, wait, waiting, many }
})

/** Lets other fibers run in real time. The virtual clock stands still. */
const settled = () => Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 150)))

const isDone = (fiber: Fiber.Fiber<unknown, unknown>) => fiber.pollUnsafe() !== undefined

it.effect("a waiting status poll gets its response when the creator responds, even though the clock stands still", () =>
  Effect.gen(function* () {
    const { status, token, tag, wait, waiting } = yield* scene
    const known = { ...wait, "if-none-match": yield* tag }
    const polls = [yield* waiting(status), yield* waiting(status, known)]
    assert.isFalse(polls.some(isDone))
    yield* actAsCreator(token, "respond", { perspective: "They will win it, and by some distance." })
    for (const poll of polls) {
      const response = yield* Fiber.join(poll)
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("preference-applied"), "wait")
      const [persona] = (yield* readJson(response)).data.personas
      assert.notStrictEqual(persona.status, "topic_sent")
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("erasing a creator immediately ends a waiting status poll and a waiting request for events", () =>
  Effect.gen(function* () {
    const { persona, status, waiting } = yield* scene
    const polls = [yield* waiting(status), yield* waiting("/events?order=asc")]
    assert.isFalse(polls.some(isDone))
    yield* (yield* CreatorAdministration).erase(persona.creator.email)
    yield* settled()
    assert.deepStrictEqual(polls.map(isDone), [true, true])
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a wait that ends without a change gets 304 if the request had an ETag, and 200 otherwise", () =>
  Effect.gen(function* () {
    const { get, status, tag, wait, waiting } = yield* scene
    yield* settled()
    const known = yield* tag
    const conditional = yield* waiting(status, { ...wait, "if-none-match": known })
    const plain = yield* waiting(status)
    const events = yield* waiting("/events?order=asc")
    yield* TestClock.adjust("29 seconds")
    assert.deepStrictEqual([conditional, plain, events].map(isDone), [false, false, false])
    yield* TestClock.adjust("1 second")
    const responses = yield* Effect.forEach([conditional, plain, events], Fiber.join)
    assert.deepStrictEqual(
      responses.map((response) => [response.status, response.headers.get("preference-applied")]),
      [
        [304, "wait"],
        [200, "wait"],
        [200, "wait"]
      ]
    )
    // The rate windows began at the start of the test, half a minute ago.
    for (const { headers } of responses) assert.match(headers.get("ratelimit") ?? "", /"burst_per_minute";r=\d+;t=30\b/)
    assert.strictEqual(responses[0]?.headers.get("etag"), known)
    assert.strictEqual(responses[1]?.headers.get("etag"), known)
    const list = yield* readJson(yield* get("/events?order=asc"))
    assert.deepStrictEqual(list.data, [])
  }).pipe(Effect.provide(InMemory.layerWith({})))
)

it.effect(
  "a waiting request for events gets its response with the first matching event, and a newest-first list does not wait",
  () =>
    Effect.gen(function* () {
      const { get, token, wait, waiting } = yield* scene
      assert.isNull((yield* get("/events", wait)).headers.get("preference-applied"))
      const poll = yield* waiting("/events?order=asc")
      const other = yield* waiting("/events?order=asc&type=creator.approved")
      yield* actAsCreator(token, "decline", {})
      const { data, pagination } = yield* readJson(yield* Fiber.join(poll))
      assert.strictEqual(data[0].type, "commentary.failed")
      assert.isFalse(isDone(other))
      const next = yield* get(`/events?after=${data[0].id}`)
      assert.isTrue((yield* readJson(next)).pagination.next_cursor >= pagination.next_cursor)
      yield* Fiber.interrupt(other)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a request with an old ETag gets an immediate response if the topic changed before the request", () =>
  Effect.gen(function* () {
    const { get, status, tag, token, wait } = yield* scene
    const known = yield* tag
    yield* actAsCreator(token, "decline", {})
    const response = yield* get(status, { ...wait, "if-none-match": known })
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers.get("preference-applied"), "wait")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("when a key is revoked, its waiting requests end with 401, and other keys' requests keep waiting", () =>
  Effect.gen(function* () {
    const { get, key, owner, status, waiting, wait } = yield* scene
    const other = yield* Seed.issueApiKey(owner)
    const poll = yield* waiting(status)
    const kept = yield* Effect.tap(Effect.forkChild(get(status, wait, other.text)), settled)
    yield* (yield* ApiKeys).revoke(key.id)
    const response = yield* Fiber.join(poll)
    assert.strictEqual(response.status, 401)
    assert.strictEqual((yield* readJson(response)).error.code, "key_revoked")
    yield* settled()
    assert.isFalse(isDone(kept))
    yield* Fiber.interrupt(kept)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("when the service stops, waiting requests immediately get their responses", () =>
  Effect.gen(function* () {
    const { status, waiting } = yield* scene
    yield* settled()
    const polls = [yield* waiting(status), yield* waiting("/events?order=asc")]
    yield* (yield* LongPolls).stop
    for (const poll of polls) assert.strictEqual((yield* Fiber.join(poll)).status, 200)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a waiting request counts as one request, and does not count toward the limit of concurrent requests", () =>
  Effect.gen(function* () {
    const { get, many, status } = yield* scene
    yield* settled()
    const left = (response: Response) => Number(response.headers.get("x-ratelimit-remaining"))
    const before = left(yield* get(status))
    const polls = yield* many(100)
    assert.isFalse(polls.some(isDone))
    assert.strictEqual((yield* get("/topics")).status, 200)
    assert.strictEqual(before - left(yield* get(status)), 102)
    yield* Effect.forEach(polls, Fiber.interrupt)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "waiting requests beyond an organization's limit get 429, and new requests can wait as soon as earlier waits end",
  () =>
    Effect.gen(function* () {
      const { get, many, status, wait, waiting } = yield* scene
      yield* settled()
      const { each } = concurrencyPoolLimits.waiting
      const polls = yield* many(each)
      const refused = yield* get(status, wait)
      assert.strictEqual(refused.status, 429)
      const { details, message } = (yield* readJson(refused)).error
      assert.strictEqual(details.limit, each)
      assert.strictEqual(
        message,
        `At most ${each} requests of an organization wait for a change at one time. Send it again when one has ended.`
      )
      assert.strictEqual((yield* get(status)).status, 200)
      yield* TestClock.adjust("30 seconds")
      yield* Effect.forEach(polls, Fiber.join)
      const next = yield* waiting(status)
      assert.isFalse(isDone(next))
      yield* Fiber.interrupt(next)
    }).pipe(Effect.provide(InMemory.layer))
)

it("the Prefer header is parsed according to RFC 7240, and a wait is limited to 30 seconds", () => {
  for (const [header, seconds] of [
    [undefined, 0],
    ["wait=5", 5],
    ["respond-async, WAIT = 10", 10],
    ['wait="7"', 7],
    ["wait=100", 30],
    ["wait=0", 0],
    ["wait", 0],
    ["wait=-1", 0],
    ["await=5", 0],
    ["wait=5s", 0],
    ["wait=5; minimal", 5],
    ["respond-async; wait=30", 0],
    ['foo="a, wait=9"', 0],
    ['foo="a, wait=9', 0],
    [String.raw`foo="a\", wait=9"`, 0],
    [String.raw`foo="a\"", wait=9`, 9],
    ['foo="a; b", , wait=9', 9],
    ["wait=none, wait=9", 0],
    ["wait=2147483648", 30],
    ['wait="99999999999999999999"; x', 30],
    [`wait=${"9".repeat(400)}`, 30],
    ["wait=00000000009", 9],
    ['wait=" 9"', 0]
  ] as const) {
    assert.strictEqual(parsePreferredWaitSeconds(header), seconds, header)
  }
})
