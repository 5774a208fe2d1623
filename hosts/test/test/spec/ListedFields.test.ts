/**
 * Tests section 2 of the specification, row by row: list items, the lookup by reference, commentary entries and
 * personas.
 */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { checkField, type FieldType, findValuesAtPath } from "../support/conformance/Fields.ts"
import {
  layerOfServiceUnderTest,
  samplePerspective,
  seedPartner,
  submitTopicWithStates
} from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"
const overall = ["pending", "in_progress", "partial", "completed"]

const answers = Effect.gen(function* () {
  const by = yield* seedPartner()
  const { id, personas } = yield* submitTopicWithStates(
    by,
    content,
    ["creator_approved", "commentary_generated", "declined"],
    {
      external_reference: "game-1",
      metadata: { game: 1 }
    }
  )
  const items = (yield* by.get("/topics")).body.data
  const lookup = (yield* by.get("/topics/by-reference/game-1")).body.data
  const entries = (yield* by.get(`/topics/${id}/commentaries`)).body.data.commentaries
  const list = (yield* by.get("/personas")).body.data
  const persona = (yield* by.get(`/personas/${personas[0]?.id}`)).body.data
  return { by, id, personas, items, lookup, entries, list, persona }
})
class Answers extends Context.Service<Answers, Effect.Success<typeof answers>>()("test/conformance/ListedFields") {
  static readonly layer = Layer.provideMerge(Layer.effect(Answers, answers), layerOfServiceUnderTest)
}

type Shape = "items" | "lookup" | "entries" | "list" | "persona"
type Row = readonly [path: string, type: FieldType, literals?: ReadonlyArray<string>]
const tables: ReadonlyArray<readonly [Shape, string, ReadonlyArray<Row>]> = [
  [
    "items",
    "Topic summary",
    [
      ["[].topic_id", "string"],
      ["[].content", "string"],
      ["[].status", "string", overall],
      ["[].commentaries_ready", "integer"],
      ["[].total_personas", "integer"],
      ["[].created_at", "timestamp"]
    ]
  ],
  [
    "lookup",
    "Reference lookup result",
    [
      ["external_reference", "string"],
      ["topic_id", "string"],
      ["content", "string"],
      ["metadata", "object"],
      ["commentaries", "array"],
      ["commentaries[].share_id", "string"],
      ["commentaries[].persona_id", "string"],
      ["commentaries[].persona_name", "string"],
      ["commentaries[].persona_image", "URL"],
      ["commentaries[].status", "string", ["completed", "pending", "failed"]],
      ["commentaries[].commentary", "object or null"],
      ["commentaries[].created_at", "timestamp"],
      ["summary", "object"],
      ["summary.total_personas", "integer"],
      ["summary.completed", "integer"],
      ["summary.pending", "integer"],
      ["summary.failed", "integer"]
    ]
  ],
  [
    "entries",
    "Commentary entry",
    [
      ["[].commentary_id", "string"],
      ["[].persona", "object"],
      ["[].persona.id", "string"],
      ["[].persona.name", "string"],
      ["[].persona.image_url", "URL"],
      ["[].content", "string"],
      ["[].audio_url", "string or null"],
      ["[].video_url", "string or null"]
    ]
  ],
  [
    "list",
    "Persona in list",
    [
      ["[].id", "string (UUID)"],
      ["[].name", "string"],
      ["[].image_url", "URL"]
    ]
  ],
  [
    "persona",
    "Persona in detail",
    [
      ["id", "string (UUID)"],
      ["name", "string"],
      ["image_url", "URL"],
      ["bio", "string"],
      ["expertise", "array of strings"],
      ["social_links", "object of platform-name to URL"]
    ]
  ]
]

layer(Answers.layer)("specification 2", (it) => {
  for (const [shape, name, rows] of tables) {
    for (const [path, type, literals] of rows) {
      const field = path.replace(/^\[\]\./, "")
      it.effect(`the field ${field} of ${name} has the type ${type} and only documented values`, () =>
        Effect.map(Answers, (seen) => checkField(seen[shape], path, type, literals))
      )
    }
  }

  it.effect("Topic summary: commentaries_ready and total_personas count the topic's personas", () =>
    Effect.map(Answers, ({ id, items }) =>
      assert.deepStrictEqual(
        items.map((item: Readonly<Record<string, unknown>>) => [
          item["topic_id"],
          item["content"],
          item["status"],
          item["commentaries_ready"],
          item["total_personas"]
        ]),
        [[id, content, "partial", 1, 3]]
      )
    )
  )

  it.effect(
    "the reference lookup returns the requested reference as external_reference, and the partner's own metadata",
    () =>
      Effect.map(Answers, ({ id, lookup }) => {
        assert.deepInclude(lookup, { external_reference: "game-1", topic_id: id, content, metadata: { game: 1 } })
        assert.deepStrictEqual(lookup.summary, { total_personas: 3, completed: 1, pending: 1, failed: 1 })
      })
  )

  it.effect("Reference lookup result: commentary is an object as in the detail, or null while pending", () =>
    Effect.gen(function* () {
      const { by, id, lookup } = yield* Answers
      const [ready, pending] = lookup.commentaries
      assert.deepStrictEqual([ready.status, pending.status, pending.commentary], ["completed", "pending", null])
      const detail = (yield* by.get(`/topics/${id}`)).body.data
      assert.deepStrictEqual(ready.commentary, detail.commentaries[0].commentary)
      assert.include(ready.commentary.content, samplePerspective)
    })
  )

  it.effect("in the reference lookup, share_id distinguishes each persona's assignment", () =>
    Effect.map(Answers, ({ lookup }) =>
      assert.strictEqual(new Set(findValuesAtPath(lookup, "commentaries[].share_id")).size, 3)
    )
  )

  it.effect("the list of commentaries contains only completed commentaries", () =>
    Effect.map(Answers, ({ entries, personas: [approved] }) =>
      assert.deepStrictEqual(
        entries.map(({ persona }: { readonly persona: unknown }) => persona),
        [{ id: approved?.id, name: approved?.name, image_url: approved?.imageUrl }]
      )
    )
  )

  it.effect("a persona's bio, expertise and social_links are in the persona detail and not in the list", () =>
    Effect.map(Answers, ({ list, persona }) => {
      for (const entry of list) assert.sameMembers(Object.keys(entry), ["id", "name", "image_url"])
      assert.deepInclude(persona, {
        bio: "Twenty years on the touchline.",
        expertise: ["basketball"],
        social_links: { twitter: "https://twitter.example/ada" }
      })
    })
  )
})
