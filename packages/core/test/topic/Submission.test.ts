import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assert } from "vitest"
import type { Persona } from "../../src/persona/Persona.ts"
import type * as Ids from "../../src/shared/Ids.ts"
import { defaults } from "../../src/shared/Policy.ts"
import { nextDueAt } from "../../src/topic/Assignment.ts"
import {
  type AssignmentReference,
  calculateInitialResponseDeadline,
  makeNewAssignments,
  makeSubmissionResults,
  type Submission,
  selectCandidateRecipients
} from "../../src/topic/Submission.ts"
import { makeTestUuid, noonInMillis } from "./SampleAssignments.ts"

const personaId = (number: number) => makeTestUuid<typeof Ids.PersonaId.Type>(100 + number)
const shareId = (number: number) => makeTestUuid<typeof Ids.ShareId.Type>(200 + number)
const topicId = makeTestUuid<typeof Ids.TopicId.Type>(1)
const earlier = makeTestUuid<typeof Ids.TopicId.Type>(2)

const persona = (number: number): Persona => ({
  id: personaId(number),
  name: `Persona ${number}`,
  imageUrl: `https://images.example/${number}.png`,
  bio: "",
  expertise: [],
  socialLinks: {},
  creator: { name: "", email: `${number}@creator.example` },
  createdAt: noonInMillis
})

const submission = (requested: ReadonlyArray<number>, licensed: ReadonlyArray<number>): Submission => ({
  topic: {
    id: topicId,
    organizationId: makeTestUuid(3),
    organizationName: "Acme Sports",
    environment: "live",
    externalReference: null,
    content: "Was it fair?",
    metadata: {},
    outputTypes: ["text"],
    webhookIds: null,
    createdAt: noonInMillis
  },
  requested: requested.map(personaId),
  candidates: selectCandidateRecipients(requested.map(personaId), licensed.map(persona), licensed.map(shareId)),
  fingerprint: "",
  windowUntil: noonInMillis,
  respondBy: calculateInitialResponseDeadline("live", noonInMillis, defaults),
  isDeadlineFixed: false,
  quotas: null,
  storage: null,
  actsAt: null
})

/** Returns the holder of each candidate's duplicate window: this submission or an earlier submission. */
const holders = (
  { candidates }: Submission,
  held: ReadonlyArray<number>
): ReadonlyMap<Ids.PersonaId, AssignmentReference> =>
  new Map(
    candidates.map(({ persona, shareId: own }) => {
      const number = held.find((number) => personaId(number) === persona.id)
      return [
        persona.id,
        number === undefined ? { topicId, shareId: own } : { topicId: earlier, shareId: shareId(50 + number) }
      ]
    })
  )

describe("Results of a submission", () => {
  it("a submission returns one result per requested persona in the order of the request, including repetitions", () => {
    const wanted = submission([3, 9, 1, 3, 2, 9, 2], [1, 2, 3])
    const own = (number: number) => wanted.candidates.find(({ persona }) => persona.id === personaId(number))!.shareId
    assert.deepStrictEqual(makeSubmissionResults(wanted, holders(wanted, [2])), [
      { personaId: personaId(3), status: "sent", shareId: own(3), duplicateOf: null },
      { personaId: personaId(9), status: "not_licensed", shareId: null, duplicateOf: null },
      { personaId: personaId(1), status: "sent", shareId: own(1), duplicateOf: null },
      { personaId: personaId(3), status: "duplicate", shareId: null, duplicateOf: { topicId, shareId: own(3) } },
      {
        personaId: personaId(2),
        status: "duplicate",
        shareId: null,
        duplicateOf: { topicId: earlier, shareId: shareId(52) }
      },
      { personaId: personaId(9), status: "not_licensed", shareId: null, duplicateOf: null },
      {
        personaId: personaId(2),
        status: "duplicate",
        shareId: null,
        duplicateOf: { topicId: earlier, shareId: shareId(52) }
      }
    ])
  })

  it("a submission's results with status sent match the created assignments in the same order", () => {
    const numbers = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 20 })
    const some = fc.uniqueArray(fc.integer({ min: 0, max: 9 }))
    return fc.assert(
      fc.property(numbers, some, some, (requested, licensed, held) => {
        const wanted = submission(requested, licensed)
        const answered = makeSubmissionResults(wanted, holders(wanted, held))
        const made = makeNewAssignments(wanted, holders(wanted, held))
        assert.deepStrictEqual(
          answered.map(({ personaId }) => personaId),
          wanted.requested
        )
        assert.deepStrictEqual(
          made.map(({ persona }) => persona.id),
          answered.filter(({ status }) => status === "sent").map(({ personaId }) => personaId)
        )
        assert.deepStrictEqual(
          made.map(({ position }) => position),
          made.map((_, position) => position)
        )
        for (const [at, { duplicateOf, personaId: id, status }] of answered.entries()) {
          const number = requested[at] ?? -1
          const first = requested.indexOf(number) === at
          const expected = !licensed.includes(number)
            ? "not_licensed"
            : held.includes(number) || !first
              ? "duplicate"
              : "sent"
          assert.strictEqual(status, expected)
          const holder = status === "duplicate" ? holders(wanted, held).get(id) : null
          assert.deepStrictEqual(duplicateOf, holder)
        }
      })
    )
  })

  it("every result of a submission has the status not_licensed when no requested persona is licensed", () => {
    const wanted = submission([1, 1, 2], [])
    const answered = makeSubmissionResults(wanted, new Map())
    assert.deepStrictEqual(
      answered.map(({ status }) => status),
      ["not_licensed", "not_licensed", "not_licensed"]
    )
  })
})

describe("Candidates of a submission", () => {
  it("a submission's candidates are the requested licensed personas without repetitions, each with a separate id", () => {
    const { candidates: chosen } = submission([4, 2, 4, 7, 1], [1, 2, 4])
    assert.deepStrictEqual(
      chosen.map(({ persona }) => persona.id),
      [4, 2, 1].map(personaId)
    )
    assert.lengthOf(new Set(chosen.map(({ shareId }) => shareId)), 3)
  })
})

describe("New assignments", () => {
  it("a new assignment waits for the creator's response, and has a copy of the persona data that the partner saw", () => {
    const wanted = submission([1], [1])
    const [made] = makeNewAssignments(wanted, holders(wanted, []))
    assert.deepInclude(made, {
      topicId,
      environment: "live",
      status: "topic_sent",
      persona: { id: personaId(1), name: "Persona 1", imageUrl: "https://images.example/1.png" },
      creator: { name: "", email: "1@creator.example" },
      createdAt: noonInMillis,
      statusUpdatedAt: noonInMillis,
      failure: null,
      commentary: null
    })
    assert.strictEqual(made?.respondBy, noonInMillis + 7 * 24 * 3_600_000)
    assert.strictEqual(made?.dueAt, nextDueAt(made!))
  })
})
