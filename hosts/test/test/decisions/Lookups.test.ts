/** Tests the documented decisions about lookups: lists, pages of lists, unknown resources, and references. */
import { assert, layer } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  type ApiResponse,
  getFirstPersona,
  layerOfServiceUnderTest,
  seedPartner,
  sendRequest,
  submitTopicWithStates
} from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"
const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"

const refusal = ({ body, status }: ApiResponse) => [status, body.error?.code, body.error?.details?.field]

/** Creates `count` topics, with two topics in each millisecond, and returns a function that lists topics. */
const withTopics = Effect.fnUntraced(function* (count: number, more: object = {}) {
  const by = yield* seedPartner()
  const persona = yield* by.persona()
  for (let index = 0; index < count; index++) {
    yield* by.submit(`${content} Number ${index}`, [persona], more)
    if (index % 2 === 1) yield* TestClock.adjust("1 millis")
  }
  const list = (query: string) => Effect.map(by.get(`/topics${query}`), ({ body }) => body)
  return { by, persona, list }
})

const views = (id: string) => [`/topics/${id}`, `/topics/${id}/status`, `/topics/${id}/commentaries`]

layer(layerOfServiceUnderTest)("decisions, Contract: lookups", (it) => {
  it.effect("GET /topics sorts topics by created_at descending, then by topic_id descending", () =>
    Effect.gen(function* () {
      const { list } = yield* withTopics(12)
      const { data } = yield* list("")
      const order = data.map(
        ({ created_at, topic_id }: Readonly<Record<string, string>>) => `${created_at} ${topic_id}`
      )
      assert.strictEqual(order.length, 12)
      assert.deepStrictEqual(order, order.toSorted().toReversed())
      assert.isBelow(new Set(data.map(({ created_at }: { readonly created_at: string }) => created_at)).size, 12)
    })
  )

  it.effect("GET /topics filters by statuses, reference and times, and sorts topics by age in both directions", () =>
    Effect.gen(function* () {
      const { by, list, persona } = yield* withTopics(4)
      const referred = yield* by.submit("And who goes up instead?", [persona], { external_reference: "a:1" })
      const { data: all } = yield* list("")
      const ids = (answer: { readonly data: ReadonlyArray<{ readonly topic_id: string }> }) =>
        answer.data.map(({ topic_id }) => topic_id)
      const oldest = yield* list("?order=asc&limit=3")
      assert.deepStrictEqual(ids(oldest), ids({ data: all.toReversed().slice(0, 3) }))
      const next = yield* list(`?order=asc&cursor=${oldest.pagination.next_cursor}`)
      assert.deepStrictEqual(ids(next), ids({ data: all.toReversed().slice(3) }))
      const found = yield* list("?external_reference=a:1")
      assert.deepStrictEqual([ids(found), found.pagination.total], [[referred.topic_id], 1])
      assert.lengthOf((yield* list("?external_reference=a:2")).data, 0)
      assert.lengthOf((yield* list("?status=pending,in_progress")).data, 5)
      assert.lengthOf((yield* list("?status=completed,partial")).data, 0)
      const first = all.at(-1).created_at
      const later = all.filter(({ created_at }: { readonly created_at: string }) => created_at > first)
      assert.deepStrictEqual(ids(yield* list(`?created_after=${first}`)), ids({ data: later }))
      assert.lengthOf((yield* list(`?created_before=${first}`)).data, 0)
      assert.lengthOf((yield* list(`?updated_after=${first}`)).data, later.length)
      // A bound may be finer than the stored milliseconds.
      const justAfter = first.replace("Z", "001Z")
      const atFirst = all.filter(({ created_at }: { readonly created_at: string }) => created_at === first)
      assert.deepStrictEqual(ids(yield* list(`?created_before=${justAfter}`)), ids({ data: atFirst }))
      assert.deepStrictEqual(ids(yield* list(`?created_after=${justAfter}`)), ids({ data: later }))
      assert.lengthOf((yield* list(`?updated_after=${justAfter}`)).data, later.length)
    })
  )

  it.effect("GET /topics refuses invalid filters and combinations of filters with 400 and the field", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      for (const [query, field] of [
        ["status=pending&external_reference=a", "status"],
        ["status=pending&updated_after=2026-01-30T12:00:00Z", "updated_after"],
        ["created_after=2026-01-30T12:00:00Z&updated_after=2026-01-30T12:00:00Z", "updated_after"],
        ["status=pending,done", "status"],
        ["external_reference=a%20b", "external_reference"],
        ["created_after=yesterday", "created_after"],
        ["created_before=2026-01-30", "created_before"],
        ["updated_after=1", "updated_after"],
        ["order=newest", "order"]
      ] as const) {
        assert.deepStrictEqual(refusal(yield* by.get(`/topics?${query}`)), [400, "invalid_request", field], query)
      }
    })
  )

  it.effect("an invalid limit, offset or status of GET /topics gets 400 with field and constraint", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      for (const [field, values] of Object.entries({
        limit: ["0", "101", "-1", "1.5", "x", "", "1e1"],
        offset: ["-1", "10001", "0.5", "x", ""],
        status: ["done", "", "Pending", "creator_approved"]
      }))
        for (const value of values) {
          const answer = yield* by.get(`/topics?${field}=${value}`)
          assert.deepStrictEqual(refusal(answer), [400, "invalid_request", field], `${field}=${value}`)
          assert.isString(answer.body.error.details.constraint)
        }
    })
  )

  it.effect("the offset of a list is at most 10,000, and the error for a larger offset suggests the cursor", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      assert.strictEqual((yield* by.get("/topics?offset=10000")).status, 200)
      assert.include((yield* by.get("/topics?offset=10001")).body.error.details.constraint, "cursor")
    })
  )

  it.effect("GET /topics returns next_cursor, and accepts this value as the query parameter cursor", () =>
    Effect.gen(function* () {
      const { list } = yield* withTopics(7)
      const all = (yield* list("")).data
      const pages: Array<unknown> = []
      let cursor: string | null = ""
      let requests = 0
      while (cursor !== null) {
        const page: ApiResponse["body"] = yield* list(
          `?limit=3${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`
        )
        pages.push(...page.data)
        cursor = page.pagination.next_cursor
        requests++
      }
      assert.deepStrictEqual([pages, requests], [all, 3])
    })
  )

  it.effect("GET /topics refuses the cursor of a list with another sort key, and accepts it in its own list", () =>
    Effect.gen(function* () {
      const { by, list } = yield* withTopics(4)
      for (const order of ["asc", "desc"]) {
        const byCreation = `limit=2&order=${order}`
        const byChange = `${byCreation}&updated_after=2020-01-01T00:00:00Z`
        for (const [own, other] of [
          [byCreation, byChange],
          [byChange, byCreation]
        ]) {
          const { data, pagination } = yield* list(`?${own}`)
          const rest = yield* list(`?${own}&cursor=${pagination.next_cursor}`)
          assert.strictEqual(new Set([...data, ...rest.data].map(({ topic_id }) => topic_id)).size, 4)
          const refused = yield* by.get(`/topics?${other}&cursor=${pagination.next_cursor}`)
          assert.deepStrictEqual(refusal(refused), [400, "invalid_request", "cursor"], other)
          assert.strictEqual(refused.body.error.details.constraint, "must be a pagination.next_cursor of this list")
        }
      }
    })
  )

  it.effect("requests with an unknown or malformed topic id get 404 not_found", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      for (const id of [unknown, "x", "123", "%20", `${unknown}0`, "null"])
        for (const path of views(id))
          assert.deepStrictEqual(refusal(yield* by.get(path)), [404, "not_found", undefined], path)
    })
  )

  it.effect("a path longer than every route's paths is refused without a search of the routes", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      for (const text of ["%25", "%", "a"]) {
        const long = text.repeat(3000)
        const found = refusal(yield* by.get(`/topics/by-reference/${long}`))
        assert.deepStrictEqual(found.slice(0, 2), [400, "invalid_request"], text)
        assert.deepStrictEqual(refusal(yield* by.get(`/topics/${long}`)), [404, "not_found", undefined], text)
        // The route of the creators' pages would return HTML.
        assert.deepStrictEqual(refusal(yield* sendRequest(`/creator/${long}`)), [404, "not_found", undefined], text)
      }
    })
  )

  it.effect("a query of more than 100 parameters is refused without reading the parameters", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const found = yield* by.get(`/topics?${"a=%&".repeat(100)}`, { key: "unknown" })
      assert.deepStrictEqual(refusal(found), [400, "invalid_request", "query"])
      assert.strictEqual((yield* by.get(`/topics?${"a=%&".repeat(98)}limit=1`)).status, 200)
    })
  )

  it.effect("another organization's or environment's topic gets the same 404 response as an unknown topic", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id } = yield* submitTopicWithStates(by, content, ["creator_approved"], { external_reference: "game-1" })
      const { text: testKey } = yield* Seed.issueApiKey(by.organization, { environment: "test" })
      for (const key of [(yield* seedPartner()).key, testKey]) {
        for (const [index, path] of views(id).entries()) {
          const [theirs, nobodys] = [yield* by.get(path, { key }), yield* by.get(views(unknown)[index] ?? "", { key })]
          assert.deepStrictEqual([theirs.status, theirs.text], [404, nobodys.text], path)
          assert.strictEqual(nobodys.status, 404)
        }
        assert.strictEqual((yield* by.get("/topics/by-reference/game-1", { key })).status, 404)
      }
    })
  )

  it.effect(
    "by-reference returns the newest topic's fields, and the commentaries of all topics with the reference",
    () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const older = yield* submitTopicWithStates(by, content, ["creator_approved", "declined"], {
          external_reference: "game-1",
          metadata: { round: 1 }
        })
        yield* TestClock.adjust("1 minute")
        const newer = yield* submitTopicWithStates(by, `${content} Still?`, ["topic_sent"], {
          external_reference: "game-1",
          metadata: { round: 2 }
        })
        const { data } = (yield* by.get("/topics/by-reference/game-1")).body
        assert.deepInclude(data, {
          topic_id: newer.id,
          content: newer.content,
          metadata: { round: 2 },
          truncated: false
        })
        assert.deepStrictEqual(
          data.commentaries.map((one: Readonly<Record<string, unknown>>) => [
            one["topic_id"],
            one["topic_content"],
            one["persona_id"]
          ]),
          [
            [newer.id, newer.content, getFirstPersona(newer.personas).id],
            ...older.personas.map((persona) => [older.id, older.content, persona.id])
          ]
        )
        assert.deepStrictEqual(data.summary, { total_personas: 3, completed: 1, pending: 1, failed: 1 })
      })
  )

  it.effect("by-reference returns the 100 newest topics, with truncated: true if there are more topics", () =>
    Effect.gen(function* () {
      const { by, list, persona } = yield* withTopics(100, { external_reference: "season" })
      const lookup = Effect.map(by.get("/topics/by-reference/season"), ({ body }) => body.data)
      const all = yield* lookup
      assert.deepStrictEqual([all.commentaries.length, all.summary.total_personas, all.truncated], [100, 100, false])
      yield* TestClock.adjust("1 millis")
      const newest = yield* by.submit("And one more question?", [persona], { external_reference: "season" })
      const cut = yield* lookup
      assert.deepStrictEqual([cut.commentaries.length, cut.truncated, cut.topic_id], [100, true, newest.topic_id])
      const oldest = (yield* list("?limit=1&offset=100")).data[0].topic_id
      assert.notInclude(JSON.stringify(cut), oldest)
    })
  )

  it.effect("a topic gets 400 if its reference is '.', '..' or empty, or contains non-ASCII letters", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id } = yield* by.persona()
      for (const external_reference of [".", "..", "", "é", "ａ", "１", "game-ß", "игра"]) {
        const answer = yield* by.post("/topics", { content, persona_ids: [id], external_reference })
        assert.deepStrictEqual(refusal(answer), [400, "invalid_request", "external_reference"], external_reference)
      }
      assert.strictEqual(
        (yield* by.submit(content, [{ id } as never], { external_reference: "..." })).external_reference,
        "..."
      )
    })
  )

  it.effect("the reference in a path is percent-decoded, and may have up to 256 characters", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const persona = yield* by.persona()
      const longest = "r:".repeat(128)
      for (const external_reference of ["a:b.c_d-e", longest]) {
        yield* by.submit(`${content} ${external_reference.length}`, [persona], { external_reference })
        const encoded = [...external_reference].map((c) => `%${c.charCodeAt(0).toString(16)}`).join("")
        for (const ref of [external_reference, encodeURIComponent(external_reference), encoded])
          assert.strictEqual(
            (yield* by.get(`/topics/by-reference/${ref}`)).body.data?.external_reference,
            external_reference
          )
      }
    })
  )

  it.effect("GET /topics/by-reference/status looks up the reference status, not the status of a topic", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const persona = yield* by.persona()
      for (const external_reference of ["status", "commentaries", unknown]) {
        yield* by.submit(`${content} ${external_reference}`, [persona], { external_reference })
        const { body } = yield* by.get(`/topics/by-reference/${external_reference}`)
        assert.strictEqual(body.data?.external_reference, external_reference)
      }
    })
  )

  it.effect("a reference that breaks the format rules gets 400", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      for (const ref of ["a%20b", "a%2Fb", "%C3%A9", "a+b", "r".repeat(257), "a~", "a%00", "%EF%BC%91"])
        assert.deepStrictEqual(
          refusal(yield* by.get(`/topics/by-reference/${ref}`)),
          [400, "invalid_request", "ref"],
          ref
        )
    })
  )

  it.effect("paths are case-sensitive", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id } = yield* submitTopicWithStates(by, content, ["topic_sent"], { external_reference: "game-1" })
      const right = ["/partner/v1/topics", `/partner/v1/topics/${id}/status`, "/partner/v1/topics/by-reference/game-1"]
      const wrong = [
        "/partner/v1/Topics",
        "/Partner/v1/topics",
        "/partner/V1/topics",
        `/partner/v1/topics/${id}/Status`,
        "/partner/v1/topics/By-Reference/game-1"
      ]
      for (const path of right) assert.strictEqual((yield* sendRequest(path, { key: by.key })).status, 200, path)
      for (const path of wrong) assert.strictEqual((yield* sendRequest(path, { key: by.key })).status, 404, path)
    })
  )
})
