/**
 * Tests section 4 of the specification: all GET operations on topics, including the list and the lookup by reference.
 */
import { assert, layer } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import {
  type ApiResponse,
  bringAssignmentToState,
  getFirstPersona,
  layerOfServiceUnderTest,
  samplePerspective,
  seedPartner,
  submitTopicWithStates
} from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"
const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"

const refusal = ({ body, status }: ApiResponse) => [status, body.error.code]

/** Checks that a key with only `topics:read` may read the path, and that a key with all other scopes may not. */
const needsTopicsRead = Effect.fnUntraced(function* (path: (id: string) => string) {
  const by = yield* seedPartner()
  const { id } = yield* submitTopicWithStates(by, content, ["topic_sent"], { external_reference: "game-1" })
  const { text: reads } = yield* Seed.issueApiKey(by.organization, { scopes: ["topics:read"] })
  const { text: others } = yield* Seed.issueApiKey(by.organization, {
    scopes: ["topics:submit", "personas:read", "usage:read"]
  })
  assert.strictEqual((yield* by.get(path(id), { key: reads })).status, 200)
  assert.deepStrictEqual(refusal(yield* by.get(path(id), { key: others })), [401, "scope_denied"])
})

/** Creates a partner with `count` topics, oldest first. */
const withTopics = Effect.fnUntraced(function* (count: number) {
  const by = yield* seedPartner()
  const persona = yield* by.persona()
  const made = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
    by.submit(`${content} Number ${index}`, [persona])
  )
  const ids = made.map(({ topic_id }) => topic_id as string)
  const list = (query: string) => Effect.map(by.get(`/topics${query}`), ({ body }) => body)
  const listed = (query: string) =>
    Effect.map(list(query), ({ data }) => data.map(({ topic_id }: { readonly topic_id: string }) => topic_id))
  return { by, persona, ids, list, listed }
})

layer(layerOfServiceUnderTest)("specification 4: reading topics", (it) => {
  it.effect("GET /topics lists the topics of the organization", () =>
    Effect.gen(function* () {
      const { ids, listed } = yield* withTopics(3)
      yield* withTopics(1)
      assert.sameMembers(yield* listed(""), ids)
    })
  )

  it.effect("GET /topics requires the scope topics:read", () => needsTopicsRead(() => "/topics"))

  it.effect(
    "GET /topics: the parameter status filters by pending, in_progress, completed or partial; the default is no filter",
    () =>
      Effect.gen(function* () {
        const { by, ids, list, listed, persona } = yield* withTopics(1)
        const other = yield* by.persona()
        const brought = Effect.fnUntraced(function* (
          said: string,
          state: "commentary_generated" | "creator_approved",
          alone = false
        ) {
          const { topic_id: id } = yield* by.submit(said, alone ? [persona] : [persona, other])
          yield* bringAssignmentToState({ by, id, content: said }, persona, state)
          return id as string
        })
        const byStatus = {
          pending: ids[0],
          in_progress: yield* brought("Who wins the title?", "commentary_generated"),
          completed: yield* brought("Who wins the cup?", "creator_approved", true),
          partial: yield* brought("Who wins the league?", "creator_approved")
        }
        for (const [status, id] of Object.entries(byStatus)) {
          const { data, pagination } = yield* list(`?status=${status}`)
          assert.deepStrictEqual([data.length, data[0].topic_id, data[0].status, pagination.total], [1, id, status, 1])
        }
        assert.sameMembers(yield* listed(""), Object.values(byStatus))
      })
  )

  it.effect("GET /topics: limit is an integer from 1 to 100, default 20", () =>
    Effect.gen(function* () {
      const { by, list } = yield* withTopics(101)
      for (const [query, length] of [
        ["", 20],
        ["?limit=1", 1],
        ["?limit=21", 21],
        ["?limit=100", 100]
      ] as const) {
        const { data, pagination } = yield* list(query)
        assert.deepStrictEqual([data.length, pagination.limit, pagination.total], [length, length, 101])
      }
      for (const wrong of ["0", "101", "-1", "1.5", "ten"])
        assert.deepStrictEqual(refusal(yield* by.get(`/topics?limit=${wrong}`)), [400, "invalid_request"], wrong)
    })
  )

  it.effect("GET /topics: offset is an integer with the default 0, and skips that many topics", () =>
    Effect.gen(function* () {
      const { ids, list, listed } = yield* withTopics(5)
      const all = yield* listed("")
      assert.deepStrictEqual([yield* listed("?offset=0"), yield* listed("?offset=2")], [all, all.slice(2)])
      assert.deepStrictEqual(yield* listed("?limit=2&offset=1"), all.slice(1, 3))
      assert.deepStrictEqual(yield* listed("?offset=5"), [])
      assert.strictEqual((yield* list("")).pagination.offset, 0)
      assert.strictEqual(all.length, ids.length)
    })
  )

  it.effect("GET /topics: data is an array of Topic summaries; pagination is {limit, offset, total} (integers)", () =>
    Effect.gen(function* () {
      const { list } = yield* withTopics(3)
      const { data, pagination } = yield* list("?limit=2&offset=1")
      assert.strictEqual(data.length, 2)
      assert.deepInclude(pagination, { limit: 2, offset: 1, total: 3 })
    })
  )

  it.effect("GET /topics/{id} returns the Topic detail with all commentary entries and the summary", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id, personas } = yield* submitTopicWithStates(by, content, ["creator_approved", "declined", "topic_sent"])
      const { body, status } = yield* by.get(`/topics/${id}`)
      assert.strictEqual(status, 200)
      assert.deepInclude(body.data, { topic_id: id, content, status: "partial" })
      assert.deepStrictEqual(
        body.data.commentaries.map(({ persona_id }: { readonly persona_id: string }) => persona_id),
        personas.map((persona) => persona.id)
      )
      assert.deepStrictEqual(body.data.summary, { total_personas: 3, completed: 1, pending: 1, failed: 1 })
    })
  )

  it.effect("GET /topics/{id} requires the scope topics:read", () => needsTopicsRead((id) => `/topics/${id}`))

  it.effect("GET /topics/{id} returns 404 not_found for an unknown topic, with a message about the topic", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* seedPartner()).get(`/topics/${unknown}`)
      assert.deepStrictEqual(refusal(answer), [404, "not_found"])
      assert.match(answer.body.error.message, /topic not found/i)
    })
  )

  it.effect(
    "GET /topics/{id}/status is the polling view: it contains every persona and the counts, and no commentary",
    () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const { id } = yield* submitTopicWithStates(by, content, ["creator_approved", "topic_sent"])
        const { body, status, text } = yield* by.get(`/topics/${id}/status`)
        assert.deepStrictEqual([status, body.data.topic_id, body.data.overall_status], [200, id, "partial"])
        assert.strictEqual(body.data.personas.length, 2)
        assert.strictEqual(body.data.summary.total, 2)
        assert.notInclude(text, samplePerspective)
      })
  )

  it.effect("GET /topics/{id}/status returns 404 not_found for an unknown topic", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(refusal(yield* (yield* seedPartner()).get(`/topics/${unknown}/status`)), [
        404,
        "not_found"
      ])
    })
  )

  it.effect("GET /topics/{id}/commentaries returns only completed commentaries, without status information", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id, personas } = yield* submitTopicWithStates(by, content, [
        "creator_approved",
        "commentary_generated",
        "declined"
      ])
      const { body, text } = yield* by.get(`/topics/${id}/commentaries`)
      assert.deepStrictEqual(
        body.data.commentaries.map(({ persona }: { readonly persona: { readonly id: string } }) => persona.id),
        [getFirstPersona(personas).id]
      )
      assert.notInclude(text, "status")
    })
  )

  it.effect("GET /topics/{id}/commentaries: data has topic_id, content and commentaries", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id } = yield* submitTopicWithStates(by, content, ["creator_approved"])
      const { data } = (yield* by.get(`/topics/${id}/commentaries`)).body
      assert.containsAllKeys(data, ["topic_id", "content", "commentaries"])
      assert.deepInclude(data, { topic_id: id, content })
    })
  )

  it.effect("GET /topics/{id}/commentaries returns success and an empty array when no commentary is ready", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id } = yield* submitTopicWithStates(by, content, ["commentary_generated", "declined"])
      const { body, status } = yield* by.get(`/topics/${id}/commentaries`)
      assert.deepStrictEqual([status, body.success, body.data.commentaries], [200, true, []])
    })
  )

  it.effect("GET /topics/{id}/commentaries requires the scope topics:read", () =>
    needsTopicsRead((id) => `/topics/${id}/commentaries`)
  )

  it.effect("GET /topics/by-reference/{ref} returns all commentaries for a reference, across all personas", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id, personas } = yield* submitTopicWithStates(
        by,
        content,
        ["creator_approved", "creator_approved", "topic_sent"],
        {
          external_reference: "game-1"
        }
      )
      const { body, status } = yield* by.get("/topics/by-reference/game-1")
      assert.deepStrictEqual([status, body.data.topic_id, body.data.external_reference], [200, id, "game-1"])
      assert.deepStrictEqual(
        body.data.commentaries.map((one: Readonly<Record<string, unknown>>) => [
          one["persona_id"],
          one["commentary"] !== null
        ]),
        personas.map((persona, index) => [persona.id, index < 2])
      )
    })
  )

  it.effect(
    "GET /topics/by-reference/{ref} returns 404 not_found with the reference in the message when no topic has this reference",
    () =>
      Effect.gen(function* () {
        const answer = yield* (yield* seedPartner()).get("/topics/by-reference/game-404")
        assert.deepStrictEqual(refusal(answer), [404, "not_found"])
        assert.include(answer.body.error.message, "game-404")
      })
  )
})
