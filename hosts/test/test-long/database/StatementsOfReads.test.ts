/**
 * Tests that the number of SQL statements of a read does not depend on the number of rows. The test covers every GET
 * operation of the OpenAPI document, with one and with thirty of each resource.
 */
import { assert, it } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import {
  findAffectedEnvironment,
  type RequestResourceIds,
  readOpenApiOperations,
  sendOperation
} from "../../test/support/authorization/Operations.ts"
import { eventually } from "../../test/support/Eventually.ts"
import * as RecordedPostgres from "../../test/support/RecordedPostgres.ts"
import { actAsCreator, findCreatorToken, getJson, submitTopic, waitForStatus } from "../../test/support/Requests.ts"
import { createWebhook, retryDelivery } from "../../test/support/WebhookCalls.ts"

const all = { concurrency: 10 } as const
/** The maximum number of webhooks that the test creates for an organization. */
const maxWebhooks = 10
const external_reference = "the-same"

/** Creates an organization with `size` of each resource that a GET operation reads, but with at most 10 webhooks. */
const seedOrganizationOfSize = Effect.fnUntraced(function* (size: number) {
  const owner = yield* Seed.createOrganization({ name: `With ${size}` })
  const { text: live } = yield* Seed.issueApiKey(owner)
  const token = yield* Seed.issueDashboardToken(owner)
  const numbers = Array.from({ length: size }, (_, number) => number)
  const personas = yield* Effect.forEach(numbers, () => Seed.createPersona(owner))
  const keys = yield* Effect.forEach(numbers, (number) =>
    Seed.issueApiKey(owner, { environment: number % 2 === 0 ? "live" : "test" })
  )
  const webhooks = yield* Effect.forEach(numbers.slice(0, maxWebhooks), (number) =>
    Effect.map(
      createWebhook(live, {
        url: `https://example.com/${size}/${number}`,
        events: [number === 0 ? "creator.approved" : "commentary.failed"]
      }),
      ({ body }) => String(body.data.id)
    )
  )
  const content = `Is ${size} too many to ask at once?`
  const topic = yield* submitTopic(live, content, personas, { external_reference })
  // Every topic except the first has only one persona, because with all personas the service would send 870 mails. The
  // mails would make the test slow and have no effect on the measured reads.
  const [first] = personas
  assert.isDefined(first)
  yield* Effect.forEach(
    numbers.slice(1),
    (n) => submitTopic(live, `${content} ${n}`, [first], { external_reference }),
    all
  )
  yield* Effect.forEach(
    personas,
    Effect.fnUntraced(function* (persona) {
      const link = yield* findCreatorToken(persona, `${content}\n`)
      yield* actAsCreator(link, "respond", { perspective: "It is not, and that is how it should be." })
      yield* waitForStatus(live, topic, persona, "commentary_generated")
      yield* actAsCreator(link, "approve")
    }),
    all
  )
  const [webhook = ""] = webhooks
  const deliveries = yield* eventually(
    "the deliveries",
    Effect.map(getJson(live, `/webhooks/${webhook}/deliveries?status=delivered&limit=100`), ({ data }) =>
      data.length === size ? data : undefined
    )
  )
  const delivery: string = deliveries[0].id
  for (const number of numbers) {
    const found = getJson(live, `/webhooks/${webhook}/deliveries/${delivery}`)
    yield* eventually(
      "the attempt",
      Effect.map(found, ({ data }) => data.status === "delivered" && data.attempts.length === number + 1)
    )
    if (number + 1 < size) yield* retryDelivery(live, webhook, delivery)
  }
  const commentaries = (yield* getJson(live, `/topics/${topic}/commentaries`)).data.commentaries
  assert.strictEqual(commentaries.length, size)
  const resourceIds: RequestResourceIds = {
    topic,
    commentary: commentaries[0].commentary_id,
    reference: external_reference,
    persona: personas[0]?.id ?? "",
    webhook,
    delivery,
    key: keys[0]?.id ?? "",
    assignment: ""
  }
  return { live, token, resourceIds }
})

/**
 * Checks that every GET runs the same statements for all organizations. No workers run, so that only the GET requests
 * reach the database.
 */
const agree = Effect.fnUntraced(function* (
  estates: ReadonlyArray<Effect.Success<ReturnType<typeof seedOrganizationOfSize>>>
) {
  const reads = (yield* readOpenApiOperations).filter(({ method }) => method === "GET")
  assert.isAbove(reads.length, 12)
  for (const read of reads) {
    const seen = yield* Effect.forEach(
      estates,
      Effect.fnUntraced(function* ({ live, resourceIds, token }) {
        const ask = sendOperation(
          read,
          resourceIds,
          findAffectedEnvironment(read) === "live" ? { key: live, token } : { token }
        )
        yield* ask
        const { answer, turns } = yield* RecordedPostgres.recordRoundTrips(ask)
        assert.strictEqual(answer.status, read.success, `${read.id}: ${answer.text}`)
        return { statements: turns.map(RecordedPostgres.summarizeStatements), length: answer.text.length }
      })
    )
    const [few, more] = seen
    assert.deepStrictEqual(more?.statements, few?.statements, read.id)
    assert.isAtMost(few?.statements.length ?? 9, 3, read.id)
    assert.isTrue(
      few?.statements.every((statement) => statement.startsWith("SELECT")),
      `${read.id}: ${few?.statements}`
    )
  }
})

it.effect(
  "every GET runs the same SQL statements for one and for thirty of each resource, and writes nothing",
  () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 0, 30, 12))
      const estates = yield* Effect.provide(
        Effect.forEach([1, 30], seedOrganizationOfSize),
        Layer.fresh(RecordedPostgres.layerWithWorkers)
      )
      yield* Effect.provide(agree(estates), Layer.fresh(RecordedPostgres.layerWithoutWorkers))
    }).pipe(Effect.provide(RecordedPostgres.DatabaseProxy.layer)),
  120_000
)
