/** The first organization's resources, which other organizations must neither see nor change. */
import { assert } from "@effect/vitest"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { testPersonas } from "@partner-commentary/core/persona/TestPersonas"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi, type TestApiCall } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { eventually } from "../Eventually.ts"
import { readJson } from "../Json.ts"
import { actAsCreator, findCreatorToken, getJson, waitForStatus } from "../Requests.ts"
import { findAffectedEnvironment, type Operation, type RequestResourceIds, sendOperation } from "./Operations.ts"

/** The owner's credentials: keys with every scope in both environments, and a dashboard token. */
export interface OwnerCredentials {
  readonly organization: Organization
  readonly live: string
  readonly test: string
  readonly token: string
}

export const manuallyAdvancedPersonaId = String(testPersonas.at(-1)?.id)

const made = Effect.fnUntraced(function* (path: string, call: TestApiCall) {
  const response = yield* (yield* TestApi).call(`/partner/v1${path}`, { method: "POST", ...call })
  assert.strictEqual(response.status, 201)
  return (yield* readJson(response)).data
})

export const createWebhook = ({ live }: OwnerCredentials) =>
  Effect.map(
    made("/webhooks", { key: live, body: { url: "https://example.com/the-first", events: ["creator.approved"] } }),
    ({ id }): string => id
  )

/**
 * A topic in the test environment. The topic's simulated creator takes a step only when the test advances the
 * assignment.
 */
export const submitTestTopic = ({ test }: OwnerCredentials, nth: number) =>
  Effect.map(
    made("/topics", {
      key: test,
      body: { content: `Who wins the derby number ${nth}?`, persona_ids: [manuallyAdvancedPersonaId] }
    }),
    ({ results, topic_id }) => ({ share: String(results[0].share_id), topic: String(topic_id) })
  )

/**
 * Creates an approved commentary, a webhook that was notified of this commentary, an unused key, and a simulated
 * assignment.
 */
export const createResources = Effect.fnUntraced(function* (owner: OwnerCredentials, persona: Persona) {
  const content = "The first organization's own topic, is it seen?"
  const reference = "the-first-ones-reference"
  const body = { content, persona_ids: [persona.id], external_reference: reference, metadata: { desk: "the-firsts" } }
  const { topic_id: topic } = yield* made("/topics", { key: owner.live, body })
  yield* actAsCreator(yield* findCreatorToken(persona, content), "respond", {
    perspective: "It is not, and that is how it should be."
  })
  const link = yield* findCreatorToken(persona, content)
  yield* waitForStatus(owner.live, topic, persona, "commentary_generated")
  const told = yield* createWebhook(owner)
  yield* actAsCreator(link, "approve")
  const commentary = yield* eventually(
    "the commentary",
    Effect.map(getJson(owner.live, `/topics/${topic}/commentaries`), ({ data }) => data.commentaries[0]?.commentary_id)
  )
  const delivery = yield* eventually(
    "the delivery",
    Effect.map(getJson(owner.live, `/webhooks/${told}/deliveries?status=delivered`), ({ data }) => data[0]?.id)
  )
  const simulated = yield* submitTestTopic(owner, 0)
  const resourceIds: RequestResourceIds = {
    topic,
    commentary,
    reference,
    persona: persona.id,
    webhook: told,
    delivery,
    key: (yield* Seed.issueApiKey(owner.organization)).id,
    assignment: simulated.share
  }
  return { resourceIds, simulated: simulated.topic }
})

/** Fields that change with each read, or that contain the time of the read. */
const restless = new Set(["last_used_at", "api_calls", "windows"])

/** Reads everything that the owner can read: the response of every GET, and the status of the simulated assignment. */
export const readAllResources = (
  owner: OwnerCredentials,
  operations: ReadonlyArray<Operation>,
  resourceIds: RequestResourceIds,
  simulated: string
) =>
  Effect.gen(function* () {
    const seen: Record<string, unknown> = {}
    for (const operation of operations.filter(({ method }) => method === "GET")) {
      const { isJson, status, text } = yield* sendOperation(operation, resourceIds, {
        key: owner[findAffectedEnvironment(operation)],
        token: owner.token
      })
      assert.strictEqual(status, operation.success, operation.id)
      seen[operation.id] = isJson ? JSON.parse(text, (name, value) => (restless.has(name) ? undefined : value)) : text
    }
    return { ...seen, simulated: yield* getJson(owner.test, `/topics/${simulated}/status`) }
  })
