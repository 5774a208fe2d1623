/** Sets up a partner with a test key, a live key and a licensed persona, on a test clock. */
import { testPersonas } from "@partner-commentary/core/persona/TestPersonas"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "./Eventually.ts"
import { readJson } from "./Json.ts"

export const startTime = Date.parse("2026-03-01T09:00:00.000Z")
export const unknownId = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
export const [approves, declines, expires, fails, waits] = testPersonas.map(({ id }) => String(id)) as [
  string,
  string,
  string,
  string,
  string
]

/**
 * Creates an organization with a licensed persona. Returns functions that send requests with the organization's test
 * key.
 */
export const seedTestIntegration = Effect.gen(function* () {
  yield* TestClock.setTime(startTime)
  const { call } = yield* TestApi
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { id: keyId, text: key } = yield* Seed.issueApiKey(owner, { environment: "test" })
  const live = (yield* Seed.issueApiKey(owner)).text

  const get = (path: string, by = key) => Effect.flatMap(call(`/partner/v1${path}`, { key: by }), readJson)
  const post = (path: string, body?: unknown, by = key) =>
    Effect.flatMap(
      call(`/partner/v1${path}`, { method: "POST", key: by, ...(body === undefined ? {} : { body }) }),
      readJson
    )
  const submit = (content: string, ...persona_ids: ReadonlyArray<string>) => post("/topics", { content, persona_ids })
  const sent = (content: string, ...ids: ReadonlyArray<string>) =>
    Effect.map(submit(content, ...ids), ({ data }) => ({
      topic: data.topic_id as string,
      shares: data.results.map(({ share_id }: { readonly share_id: string }) => share_id) as ReadonlyArray<string>
    }))
  const status = (topic: string) => Effect.map(get(`/topics/${topic}/status`), ({ data }) => data)
  /**
   * Polls until the result equals `want`. The result is the first persona's status, its failure reason if present, and
   * the overall status.
   */
  const sees = (topic: string, want: string) =>
    eventually(
      want,
      Effect.map(status(topic), ({ overall_status, personas: [first] }) => {
        const seen = first.failure === null ? first.status : `${first.status} ${first.failure.reason}`
        return `${seen} ${overall_status}` === want ? first : undefined
      })
    )
  /** Advances the clock step by step until the topic is final. */
  const settled = (topic: string) =>
    eventually(
      "settled",
      Effect.map(
        Effect.andThen(TestClock.adjust("1500 millis"), status(topic)),
        ({ overall_status }) => overall_status === "completed"
      )
    )
  const advance = (share: string, action?: string, by = key) =>
    post(`/test/assignments/${share}/advance`, action === undefined ? undefined : { action }, by)
  return { call, owner, persona, key, keyId, live, get, post, submit, sent, status, sees, settled, advance }
})
