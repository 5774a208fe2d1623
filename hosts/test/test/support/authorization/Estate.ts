/** What the first organization has, and what others must neither see nor change. */
import { assert } from "@effect/vitest"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { testPersonas } from "@partner-commentary/core/persona/TestPersonas"
import * as Seed from "@partner-commentary/test/Seed"
import { type Call, TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { eventually } from "../Eventually.ts"
import { json } from "../Json.ts"
import { act, get, reached, tokenFor } from "../Requests.ts"
import { homeOf, type Operation, send, type Things } from "./Operations.ts"

/** The owner's own way in: every scope, in both environments, and its dashboard. */
export interface Owner {
  readonly organization: Organization
  readonly live: string
  readonly test: string
  readonly token: string
}

export const waits = String(testPersonas.at(-1)?.id)

const made = Effect.fnUntraced(function* (path: string, call: Call) {
  const response = yield* (yield* TestApi).call(`/partner/v1${path}`, { method: "POST", ...call })
  assert.strictEqual(response.status, 201)
  return (yield* json(response)).data
})

export const webhook = ({ live }: Owner) =>
  Effect.map(
    made("/webhooks", { key: live, body: { url: "https://example.com/the-first", events: ["creator.approved"] } }),
    ({ id }): string => id
  )

/** In the test environment, whose creators wait for the word. */
export const share = ({ test }: Owner, nth: number) =>
  Effect.map(
    made("/topics", { key: test, body: { content: `Who wins the derby number ${nth}?`, persona_ids: [waits] } }),
    ({ results, topic_id }) => ({ share: String(results[0].share_id), topic: String(topic_id) })
  )

/** An approved commentary, a webhook that was told of it, a key that nobody uses, a simulated assignment. */
export const settle = Effect.fnUntraced(function* (owner: Owner, persona: Persona) {
  const content = "The first organization's own topic, is it seen?"
  const reference = "the-first-ones-reference"
  const body = { content, persona_ids: [persona.id], external_reference: reference, metadata: { desk: "the-firsts" } }
  const { topic_id: topic } = yield* made("/topics", { key: owner.live, body })
  yield* act(yield* tokenFor(persona, content), "respond", { perspective: "It is not, and that is how it should be." })
  const link = yield* tokenFor(persona, content)
  yield* reached(owner.live, topic, persona, "commentary_generated")
  const told = yield* webhook(owner)
  yield* act(link, "approve")
  const commentary = yield* eventually(
    "the commentary",
    Effect.map(get(owner.live, `/topics/${topic}/commentaries`), ({ data }) => data.commentaries[0]?.commentary_id)
  )
  const delivery = yield* eventually(
    "the delivery",
    Effect.map(get(owner.live, `/webhooks/${told}/deliveries?status=delivered`), ({ data }) => data[0]?.id)
  )
  const simulated = yield* share(owner, 0)
  const things: Things = {
    topic,
    commentary,
    reference,
    persona: persona.id,
    webhook: told,
    delivery,
    key: (yield* Seed.key(owner.organization)).id,
    share: simulated.share
  }
  return { things, simulated: simulated.topic }
})

/** Moves by being looked at, or is a moment of looking. */
const restless = new Set(["last_used_at", "api_calls", "windows"])

/** All that its owner can read: every GET there is, and how the simulated assignment stands. */
export const snapshot = (owner: Owner, operations: ReadonlyArray<Operation>, things: Things, simulated: string) =>
  Effect.gen(function* () {
    const seen: Record<string, unknown> = {}
    for (const operation of operations.filter(({ method }) => method === "GET")) {
      const { status, text } = yield* send(operation, things, { key: owner[homeOf(operation)], token: owner.token })
      assert.strictEqual(status, operation.success, operation.id)
      seen[operation.id] = JSON.parse(text, (name, value) => (restless.has(name) ? undefined : value))
    }
    return { ...seen, simulated: yield* get(owner.test, `/topics/${simulated}/status`) }
  })
