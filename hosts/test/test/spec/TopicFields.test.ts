/** Tests section 2 of the specification: every table row and note about the three shapes of a topic. */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkField, type FieldType } from "../support/conformance/Fields.ts"
import {
  bringAssignmentToState,
  layerOfServiceUnderTest,
  seedPartner,
  submitTopicWithStates
} from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"
const statuses = [
  "topic_sent",
  "opinion_injected",
  "commentary_generated",
  "creator_approved",
  "declined",
  "expired"
] as const
const overall = ["pending", "in_progress", "partial", "completed"]

/**
 * Fetches one response for each of the three shapes of a topic. The topic has a persona in each state that a test can
 * reach before a deadline.
 */
const answers = Effect.gen(function* () {
  const by = yield* seedPartner()
  const nobody = yield* (yield* seedPartner()).persona()
  const [once, twice] = [yield* by.persona(), yield* by.persona()]
  yield* by.submit("Who wins the title?", [once])
  const created = yield* by.submit("Who wins the title?", [once, twice, nobody], { external_reference: "title" })
  const { id, personas } = yield* submitTopicWithStates(by, content, [
    "topic_sent",
    "opinion_injected",
    "commentary_generated",
    "creator_approved",
    "declined"
  ])
  const view = (yield* by.get(`/topics/${id}/status`)).body.data
  const detail = (yield* by.get(`/topics/${id}`)).body.data
  return { by, once, twice, nobody, created, id, personas, view, detail }
})
class Answers extends Context.Service<Answers, Effect.Success<typeof answers>>()("test/conformance/TopicFields") {
  static readonly layer = Layer.provideMerge(Layer.effect(Answers, answers), layerOfServiceUnderTest)
}

type Row = readonly [path: string, type: FieldType, literals?: ReadonlyArray<string>]
const tables: Readonly<Record<"created" | "view" | "detail", readonly [name: string, rows: ReadonlyArray<Row>]>> = {
  created: [
    "Topic (response of create)",
    [
      ["topic_id", "string (UUID)"],
      ["external_reference", "string"],
      ["content", "string"],
      ["personas_sent", "integer"],
      ["results", "array"],
      ["results[].persona_id", "string"],
      ["results[].status", "string", ["sent", "not_licensed", "duplicate"]],
      ["status", "string", ["pending"]],
      ["created_at", "timestamp"]
    ]
  ],
  view: [
    "Topic status view",
    [
      ["topic_id", "string"],
      ["content", "string"],
      ["overall_status", "string", overall],
      ["created_at", "timestamp"],
      ["personas", "array"],
      ["personas[].persona_id", "string"],
      ["personas[].persona_name", "string"],
      ["personas[].status", "string", statuses],
      ["personas[].status_updated_at", "timestamp"],
      ["personas[].has_commentary", "boolean"],
      ["summary", "object"],
      ["summary.total", "integer"],
      ...statuses.map((status) => [`summary.${status}`, "integer"] as const)
    ]
  ],
  detail: [
    "Topic detail",
    [
      ["topic_id", "string"],
      ["content", "string"],
      ["status", "string", overall],
      ["created_at", "timestamp"],
      ["commentaries", "array"],
      ["commentaries[].persona_id", "string"],
      ["commentaries[].persona_name", "string"],
      ["commentaries[].persona_image", "URL"],
      ["commentaries[].status", "string", ["completed", "pending", "failed"]],
      ["commentaries[].commentary", "object or null"],
      ["summary", "object"],
      ["summary.total_personas", "integer"],
      ["summary.completed", "integer"],
      ["summary.pending", "integer"],
      ["summary.failed", "integer"]
    ]
  ]
}
const commentaryRows: ReadonlyArray<Row> = [
  ["id", "string"],
  ["content", "string"],
  ["audio_url", "string or null"],
  ["video_url", "string or null"]
]

layer(Answers.layer)("specification 2", (it) => {
  for (const shape of ["created", "view", "detail"] as const) {
    const [name, rows] = tables[shape]
    for (const [path, type, literals] of rows) {
      it.effect(`the field ${path} of ${name} has the type ${type} and only documented values`, () =>
        Effect.map(Answers, (seen) => checkField(seen[shape], path, type, literals))
      )
    }
  }

  for (const [path, type] of commentaryRows) {
    it.effect(`the field ${path} of a commentary in the topic detail has the type ${type}`, () =>
      Effect.map(Answers, ({ detail }) => {
        const ready = detail.commentaries.filter(({ status }: { readonly status: string }) => status === "completed")
        assert.strictEqual(ready.length, 1)
        checkField(ready[0].commentary, path, type)
      })
    )
  }

  it.effect("Topic: external_reference is the partner's identifier, returned if provided", () =>
    Effect.gen(function* () {
      const { by, created, once } = yield* Answers
      assert.strictEqual(created.external_reference, "title")
      assert.notProperty(yield* by.submit("Who wins it without a reference?", [once]), "external_reference")
    })
  )

  it.effect("Topic: content is the topic text", () =>
    Effect.map(Answers, ({ created }) => assert.strictEqual(created.content, "Who wins the title?"))
  )

  it.effect("Topic: personas_sent is the number of personas that will generate commentary", () =>
    Effect.map(Answers, ({ created }) => assert.strictEqual(created.personas_sent, 1))
  )

  it.effect("Topic: results contains each persona with the result sent, not_licensed or duplicate", () =>
    Effect.map(Answers, ({ created, nobody, once, twice }) =>
      assert.deepStrictEqual(
        created.results.map(({ persona_id, status }: Readonly<Record<string, unknown>>) => [persona_id, status]),
        [
          [once.id, "duplicate"],
          [twice.id, "sent"],
          [nobody.id, "not_licensed"]
        ]
      )
    )
  )

  it.effect("Topic status view: each persona has its id, its name and its status", () =>
    Effect.map(Answers, ({ personas, view }) =>
      assert.deepStrictEqual(
        view.personas.map((one: Readonly<Record<string, unknown>>) => [
          one["persona_id"],
          one["persona_name"],
          one["status"]
        ]),
        personas.map(({ id, name }, index) => [id, name, statuses[index]])
      )
    )
  )

  it.effect("Topic status view: has_commentary is true when the commentary is ready to fetch", () =>
    Effect.gen(function* () {
      const { by, id, view } = yield* Answers
      const ready = view.personas.filter((one: { readonly has_commentary: boolean }) => one.has_commentary)
      assert.deepStrictEqual(
        ready.map(({ status }: { readonly status: string }) => status),
        ["creator_approved"]
      )
      const { body } = yield* by.get(`/topics/${id}/commentaries`)
      assert.deepStrictEqual(
        body.data.commentaries.map(({ persona }: { readonly persona: { readonly id: string } }) => persona.id),
        [ready[0].persona_id]
      )
    })
  )

  it.effect("Topic status view: summary counts all personas, and the personas in each status", () =>
    Effect.map(Answers, ({ view }) =>
      assert.deepStrictEqual(view.summary, {
        total: 5,
        topic_sent: 1,
        opinion_injected: 1,
        commentary_generated: 1,
        creator_approved: 1,
        declined: 1,
        expired: 0
      })
    )
  )

  const meanings = [
    ["pending = waiting for creators to respond", ["topic_sent", "topic_sent"], "pending"],
    ["in_progress = at least one creator is working", ["commentary_generated", "topic_sent"], "in_progress"],
    [
      "partial = some commentaries ready, others still in progress",
      ["creator_approved", "commentary_generated"],
      "partial"
    ],
    ["completed = all commentaries ready to fetch", ["creator_approved", "creator_approved"], "completed"]
  ] as const
  for (const [sentence, states, status] of meanings) {
    it.effect(`Topic status view: overall_status: ${sentence}`, () =>
      Effect.gen(function* () {
        const by = yield* seedPartner()
        const { id } = yield* submitTopicWithStates(by, content, states)
        assert.strictEqual((yield* by.get(`/topics/${id}/status`)).body.data.overall_status, status)
        assert.strictEqual((yield* by.get(`/topics/${id}`)).body.data.status, status)
      })
    )
  }

  it.effect("Topic detail: commentaries has one entry per persona", () =>
    Effect.map(Answers, ({ detail, personas }) =>
      assert.deepStrictEqual(
        detail.commentaries.map((one: Readonly<Record<string, unknown>>) => [
          one["persona_id"],
          one["persona_name"],
          one["persona_image"]
        ]),
        personas.map(({ id, imageUrl, name }) => [id, name, imageUrl])
      )
    )
  )

  it.effect("Topic detail: summary counts the personas: total_personas, completed, pending, failed", () =>
    Effect.map(Answers, ({ detail }) =>
      assert.deepStrictEqual(detail.summary, { total_personas: 5, completed: 1, pending: 3, failed: 1 })
    )
  )

  it.effect("a topic's status is always pending on creation, even if its persona has answered an earlier topic", () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const persona = yield* by.persona()
      const { status, topic_id: id } = yield* by.submit(content, [persona])
      yield* bringAssignmentToState({ by, content, id }, persona, "creator_approved")
      assert.deepStrictEqual(
        [status, (yield* by.submit(`${content} Again?`, [persona])).status],
        ["pending", "pending"]
      )
    })
  )
})
