/**
 * Tests the documented decisions about submissions: the format, the accepted personas, and duplicates within 24 hours.
 */
import { assert, layer } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import {
  type ApiResponse,
  type AssignmentState,
  bringAssignmentToState,
  layerOfServiceUnderTest,
  type SeededPartner,
  seedPartner
} from "../support/conformance/ServiceUnderTest.ts"

const content = "Will the Lakers make the play-offs?"
const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"

const refused = (answer: ApiResponse) => {
  assert.deepStrictEqual([answer.status, answer.body.error?.code], [400, "invalid_request"], answer.text)
  return answer.body.error.details
}

/** Returns the result of each persona of a submission, even if the submission is refused. */
const statuses = ({ body }: ApiResponse): ReadonlyArray<string> =>
  (body.success ? body.data.results : body.error.details).map(({ status }: { readonly status: string }) => status)

const setUp = Effect.gen(function* () {
  const by = yield* seedPartner()
  const persona = yield* by.persona()
  const post = (said: string, ids: ReadonlyArray<string> = [persona.id], key = by.key) =>
    by.post("/topics", { content: said, persona_ids: ids }, { key })
  return { by, persona, post }
})

const nothingStored = Effect.fnUntraced(function* (by: SeededPartner) {
  assert.strictEqual((yield* by.get("/topics")).body.pagination.total, 0)
  const { quotas, remaining, usage } = (yield* by.get("/usage")).body.data
  assert.strictEqual(usage.topics_created, 0)
  assert.deepStrictEqual(remaining, { topics: quotas.topics_per_month, commentaries: quotas.commentaries_per_month })
})

layer(layerOfServiceUnderTest)("decisions, Contract: submissions", (it) => {
  it.effect("content has 10 to 500 Unicode code points after trimming", () =>
    Effect.gen(function* () {
      const { by, post } = yield* setUp
      for (const wrong of ["x".repeat(9), "🏀".repeat(9), `  ${"x".repeat(9)}\n\t`, "🏀".repeat(501), "x".repeat(501)])
        assert.strictEqual(refused(yield* post(wrong)).field, "content")
      yield* nothingStored(by)
      for (const right of ["x".repeat(10), "🏀".repeat(10), "🏀".repeat(500), `\n ${"y".repeat(500)}  `]) {
        const answer = yield* post(right)
        assert.deepStrictEqual([answer.status, answer.body.data?.content], [201, right.trim()])
      }
    })
  )

  it.effect("content of 10 to 100 code points is always accepted", () =>
    Effect.gen(function* () {
      const { post } = yield* setUp
      for (const length of [10, 50, 99, 100]) assert.strictEqual((yield* post("z".repeat(length))).status, 201)
    })
  )

  it.effect("a topic has 1 to 100 personas", () =>
    Effect.gen(function* () {
      const { by, persona, post } = yield* setUp
      const fill = (count: number) =>
        Array.from({ length: count }, (_, i) => `019c0e1b-7c4e-7000-8000-${String(i).padStart(12, "0")}`)
      assert.strictEqual(refused(yield* post(content, [])).field, "persona_ids")
      assert.strictEqual(refused(yield* post(content, [persona.id, ...fill(100)])).field, "persona_ids")
      yield* nothingStored(by)
      const { body } = yield* post(content, [persona.id, ...fill(99)])
      assert.deepStrictEqual([body.data.results.length, body.data.personas_sent], [100, 1])
    })
  )

  it.effect(
    "a topic is sent once to a persona that is listed twice, and the second result has the status duplicate",
    () =>
      Effect.gen(function* () {
        const { by, persona, post } = yield* setUp
        const answer = yield* post(content, [persona.id, persona.id])
        assert.deepStrictEqual(statuses(answer), ["sent", "duplicate"])
        assert.strictEqual(answer.body.data.personas_sent, 1)
        assert.strictEqual((yield* by.get("/topics")).body.data[0].total_personas, 1)
      })
  )

  it.effect("a submission without valid personas gets 400 no_valid_personas, stores nothing and uses no quota", () =>
    Effect.gen(function* () {
      const { by, post } = yield* setUp
      const answer = yield* post(content, [unknown])
      assert.deepStrictEqual([answer.status, answer.body.error.code], [400, "no_valid_personas"])
      yield* nothingStored(by)
    })
  )

  it.effect("a malformed persona id gets 400 invalid_request with field persona_ids[i]", () =>
    Effect.gen(function* () {
      const { by, persona, post } = yield* setUp
      for (const wrong of ["ada", "", "019c0e1b-7c4e-7000-8000-2f6d1c9e4b1", `${unknown}0`, `{${unknown}}`])
        assert.strictEqual(refused(yield* post(content, [persona.id, unknown, wrong])).field, "persona_ids[2]", wrong)
      yield* nothingStored(by)
    })
  )

  it.effect("unknown and unlicensed persona ids get the same result, not_licensed", () =>
    Effect.gen(function* () {
      const { persona, post } = yield* setUp
      const foreign = yield* (yield* seedPartner()).persona()
      const { body } = yield* post(content, [unknown, foreign.id, persona.id])
      assert.deepStrictEqual(body.data.results.slice(0, 2), [
        { persona_id: unknown, status: "not_licensed" },
        { persona_id: foreign.id, status: "not_licensed" }
      ])
    })
  )

  it.effect(
    "duplicate detection ignores letter case and white space, and compares contents after NFKC normalization",
    () =>
      Effect.gen(function* () {
        const { post } = yield* setUp
        assert.deepStrictEqual(statuses(yield* post("Will the ﬁnal be café-quiet in 2026?")), ["sent"])
        for (const same of [
          "WILL THE FINAL BE CAFÉ-QUIET IN 2026?",
          "  Will  the\tfinal\nbe café-quiet   in 2026? ",
          "Will the final be cafe\u0301-quiet in 2026?",
          "Ｗill the final be café-quiet in ２０２６？"
        ])
          assert.deepStrictEqual(statuses(yield* post(same)), ["duplicate"], same)
        for (const other of ["Will the final be cafe-quiet in 2026?", "Will the final be café quiet in 2026?"])
          assert.deepStrictEqual(statuses(yield* post(other)), ["sent"], other)
      })
  )

  it.effect("content for another organization, environment or persona is not a duplicate", () =>
    Effect.gen(function* () {
      const { by, persona, post } = yield* setUp
      assert.deepStrictEqual(statuses(yield* post(content)), ["sent"])
      const other = yield* seedPartner()
      yield* Seed.licensePersona(other.organization, persona)
      const { text: testKey } = yield* Seed.issueApiKey(by.organization, { environment: "test" })
      assert.deepStrictEqual(statuses(yield* post(content, [persona.id], other.key)), ["sent"])
      assert.deepStrictEqual(statuses(yield* post(content, [persona.id], testKey)), ["sent"])
      assert.deepStrictEqual(statuses(yield* post(content, [(yield* by.persona()).id])), ["sent"])
      assert.deepStrictEqual(statuses(yield* post(content)), ["duplicate"])
    })
  )

  it.effect("the duplicate window of 24 hours starts at the first submission", () =>
    Effect.gen(function* () {
      const { post } = yield* setUp
      yield* post(content)
      yield* TestClock.adjust("12 hours")
      assert.deepStrictEqual(statuses(yield* post(content)), ["duplicate"])
      yield* TestClock.adjust("43199999 millis")
      assert.deepStrictEqual(statuses(yield* post(content)), ["duplicate"])
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(statuses(yield* post(content)), ["sent"])
    })
  )

  it.effect("only one of two concurrent identical submissions is sent", () =>
    Effect.gen(function* () {
      const { by, post } = yield* setUp
      for (let round = 0; round < 10; round++) {
        const answers = yield* Effect.all([post(`${content} ${round}`), post(`${content} ${round}`)], {
          concurrency: 2
        })
        assert.deepStrictEqual(answers.flatMap(statuses).toSorted(), ["duplicate", "sent"])
      }
      assert.strictEqual((yield* by.get("/topics")).body.pagination.total, 10)
    })
  )

  for (const state of ["declined", "withdrawn", "creator_approved"] satisfies ReadonlyArray<AssignmentState>) {
    it.effect(`the same content is a duplicate even after the earlier topic has ended: ${state}`, () =>
      Effect.gen(function* () {
        const { by, persona, post } = yield* setUp
        const { body } = yield* post(content)
        yield* bringAssignmentToState({ by, id: body.data.topic_id, content }, persona, state)
        assert.deepStrictEqual(statuses(yield* post(content)), ["duplicate"])
      })
    )
  }

  it.effect("a duplicate result contains duplicate_of: {topic_id, share_id}", () =>
    Effect.gen(function* () {
      const { by, persona, post } = yield* setUp
      const first = (yield* by.post("/topics", { content, persona_ids: [persona.id], external_reference: "first" }))
        .body.data
      const { share_id } = (yield* by.get("/topics/by-reference/first")).body.data.commentaries[0]
      const { body } = yield* post(content, [persona.id, (yield* by.persona()).id])
      assert.deepStrictEqual(body.data.results[0], {
        persona_id: persona.id,
        status: "duplicate",
        duplicate_of: { topic_id: first.topic_id, share_id }
      })
      assert.notProperty(body.data.results[1], "duplicate_of")
    })
  )

  it.effect("the results of a submission have the same order as persona_ids", () =>
    Effect.gen(function* () {
      const { by, persona, post } = yield* setUp
      const more = yield* Effect.forEach([1, 2, 3], () => by.persona())
      const ids = [unknown, ...more.map(({ id }) => id).toReversed(), persona.id]
      const { body } = yield* post(content, ids)
      assert.deepStrictEqual(
        body.data.results.map(({ persona_id }: { readonly persona_id: string }) => persona_id),
        ids
      )
    })
  )
})
