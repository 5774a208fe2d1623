/** Tests how the official client waits for a topic in the real service. */
import { assert, it } from "@effect/vitest"
import type { ResponseInfo } from "@partner-commentary/client"
import { TestPartnerCommentary } from "@partner-commentary/test"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import { test } from "vitest"
import { makeClient, runClientCall } from "../../test/support/ClientCalls.ts"
import { submitTopic } from "../../test/support/Requests.ts"

const content = "Who takes the title this season?"

test("waitFor returns when the creator approves, and sends fewer requests than a client that only polls", async () => {
  await using pc = await TestPartnerCommentary.make()
  const { organization, personas } = await pc.seed({ personas: ["Ada Vance"] })
  const client = pc.client(organization)
  const { topic_id } = await client.topics.create({ content, persona_ids: personas.map(({ id }) => id) })
  const seen: Array<ResponseInfo> = []
  const start = performance.now()
  const waiting = client.topics.waitFor(topic_id, { intervalMs: 50, onResponse: (response) => seen.push(response) })
  await pc.creator("Ada Vance").respond("She will win it, and by some distance.")
  await new Promise((resolve) => setTimeout(resolve, 2000))
  await pc.creator("Ada Vance").approve("She will win it.")
  assert.strictEqual((await waiting).status, "completed")
  const waited = seen.filter(({ headers }) => headers.get("preference-applied") === "wait")
  assert.isAbove(Math.max(...waited.map(({ durationMs }) => durationMs)), 1000)
  // A client that only polls would send at least one request every 100 ms.
  assert.isBelow(seen.length, (performance.now() - start) / 100 / 2)
})

it.live("if the topic does not change, waitFor receives 304 responses and fails when its timeout ends", () =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const key = (yield* Seed.issueApiKey(owner)).text
    const topicId = yield* submitTopic(key, content, [persona], {})
    const { client } = yield* makeClient(key)
    const statuses: Array<number> = []
    const start = performance.now()
    const onResponse = ({ status }: ResponseInfo) => statuses.push(status)
    const error = yield* runClientCall(() =>
      client.topics.waitFor(topicId, { timeoutMs: 3500, intervalMs: 10, onResponse }).catch((error: unknown) => error)
    )
    assert.include(error, { name: "WaitTimeoutError", topicId })
    const elapsed = performance.now() - start
    assert.isAtLeast(elapsed, 3400)
    assert.isBelow(elapsed, 20_000, "the wait of a request")
    assert.include(statuses, 304)
    assert.strictEqual(statuses.at(-1), 200)
  }).pipe(Effect.provide(InMemory.layerWithoutWorkers()))
)
