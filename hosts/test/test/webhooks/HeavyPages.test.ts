/** Tests pages of large items. A response has a maximum size, and the next page has the remaining items. */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { seedDecliningPartner } from "../support/DeliveryCalls.ts"
import { eventually } from "../support/Eventually.ts"

const pageBytes = 1024 * 1024

/** Creates `count` events of one organization with payloads of `bytes` bytes. The events are copies of a real event. */
const events = Effect.fnUntraced(function* (count: number, bytes: number) {
  const sql = yield* SqlClient.SqlClient
  const { call } = yield* TestApi
  const { declined, key } = yield* seedDecliningPartner
  yield* declined("Who is the first to go?")
  const list = Effect.fnUntraced(function* (query: string) {
    const response = yield* call(`/partner/v1/events${query}`, { key })
    const text = yield* Effect.promise(() => response.text())
    return { status: response.status, text, ...JSON.parse(text) }
  })
  const [{ id = "" } = {}] = yield* eventually(
    "the first event",
    Effect.map(list("?type=commentary.failed"), ({ data }) => (data.length === 1 ? data : undefined))
  )
  yield* sql`DELETE FROM events WHERE type = 'topic.completed'`
  const pad = "ü".repeat(bytes / 2)
  const first = id.slice("evt_".length)
  for (let number = 0; number < count; number++) {
    // The new event's id sorts after the id of the copied event.
    const next = `${first.slice(0, 15)}${(0x800 + number).toString(16)}${first.slice(18)}`
    yield* sql`INSERT INTO events (id, organization_id, environment, type, share_id, created_at, payload)
      SELECT ${next}, organization_id, environment, type, share_id, created_at,
        REPLACE(REPLACE(payload, ${first}, ${next}), '"metadata":{}', ${`"metadata":{"pad":"${pad}"}`})
      FROM events WHERE id = ${first}`
  }
  return list
})

it.effect("a page of large events ends at about 1 MiB, and the cursors return each event once", () =>
  Effect.gen(function* () {
    const list = yield* events(150, 20_000)
    const seen: Array<string> = []
    let cursor = ""
    let pages = 0
    do {
      const { data, pagination, status, text } = yield* list(`?limit=100${cursor}`)
      assert.strictEqual(status, 200)
      assert.isBelow(Buffer.byteLength(text), pageBytes + 25_000)
      assert.strictEqual(pagination.limit, 100)
      seen.push(...data.map(({ id }: { readonly id: string }) => id))
      cursor = pagination.next_cursor === null ? "" : `&cursor=${pagination.next_cursor}`
      pages++
    } while (cursor !== "")
    assert.strictEqual(pages, 3)
    assert.strictEqual(seen.length, 151)
    assert.deepStrictEqual(seen, [...new Set(seen)].toSorted().toReversed())
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("an event that is larger than a page is the only event of its page", () =>
  Effect.gen(function* () {
    const list = yield* events(2, 2 * pageBytes)
    const { data, pagination, text } = yield* list("")
    assert.strictEqual(data.length, 1)
    assert.isAbove(Buffer.byteLength(text), 2 * pageBytes)
    const last = yield* list(`?cursor=${(yield* list(`?cursor=${pagination.next_cursor}`)).pagination.next_cursor}`)
    assert.deepStrictEqual([last.data.length, last.pagination.next_cursor], [1, null])
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("other requests run while a large page is read", () =>
  Effect.gen(function* () {
    const list = yield* events(60, 20_000)
    const turns = { count: 0, over: false }
    const turn = () => {
      turns.count++
      if (!turns.over) setImmediate(turn)
    }
    setImmediate(turn)
    const turnsOf = Effect.fnUntraced(function* (query: string) {
      const before = turns.count
      yield* list(query)
      return turns.count - before
    })
    // The event loop also turns while a query waits for Postgres, so the number of turns varies. Use the lowest number
    // of event-loop turns in five reads.
    const alone = Math.min(...(yield* Effect.forEach([1, 2, 3, 4, 5], () => turnsOf("?limit=1"))))
    const whole = yield* turnsOf("?limit=100")
    turns.over = true
    // Each step of the read returns a quarter of a page, and other requests can run between the steps.
    assert.isAtLeast(whole, alone + 3)
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a page of topics with the largest metadata has less than 2 MiB", () =>
  Effect.gen(function* () {
    const { call } = yield* TestApi
    const { key, persona } = yield* seedDecliningPartner
    const metadata = { pad: "x".repeat(16_000) }
    yield* Effect.forEach(
      Array.from({ length: 101 }, (_, number) => ({ content: `Who wins match ${number}?`, persona_ids: [persona.id] })),
      (body) => call("/partner/v1/topics", { method: "POST", key, body: { ...body, metadata } })
    )
    const text = yield* Effect.flatMap(call("/partner/v1/topics?limit=100", { key }), (response) =>
      Effect.promise(() => response.text())
    )
    assert.lengthOf(JSON.parse(text).data, 100)
    assert.isBelow(Buffer.byteLength(text), 2 * pageBytes)
  }).pipe(Effect.provide(InMemory.layer))
)
