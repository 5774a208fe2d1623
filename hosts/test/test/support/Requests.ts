/**
 * Helpers for the actions of partners and creators: submit a topic, read a view, and follow the link in the newest
 * mail.
 */
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { extractCreatorToken, Mailbox } from "@partner-commentary/test/Mailbox"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { eventually } from "./Eventually.ts"
import { readJson } from "./Json.ts"

/** Submits a topic and returns its id. */
export const submitTopic = Effect.fnUntraced(function* (
  key: string,
  content: string,
  personas: ReadonlyArray<Persona>,
  more: {
    readonly external_reference?: string
    readonly metadata?: Readonly<Record<string, unknown>>
    readonly output_types?: ReadonlyArray<string>
    readonly webhook_ids?: ReadonlyArray<string>
  } = {}
) {
  const { call } = yield* TestApi
  const body = { content, persona_ids: personas.map(({ id }) => id), ...more }
  const created = yield* readJson(yield* call("/partner/v1/topics", { method: "POST", key, body }))
  return created.data.topic_id as string
})

/** Reads the JSON of a path below the partner API. */
export const getJson = (key: string, path: string) =>
  Effect.flatMap(TestApi, ({ call }) => Effect.flatMap(call(`/partner/v1${path}`, { key }), readJson))

/** Waits until a persona of a topic has this status. */
export const waitForStatus = (key: string, topicId: string, persona: Persona, status: string) =>
  eventually(
    `${persona.name} is ${status}`,
    Effect.map(
      getJson(key, `/topics/${topicId}/status`),
      ({ data }) =>
        data.personas.find((entry: { persona_id: string }) => entry.persona_id === persona.id)?.status === status
    )
  )

/** Returns the token in the first mail to a persona's creator that quotes this content. */
export const findCreatorToken = Effect.fnUntraced(function* (persona: Persona, content: string) {
  const mailbox = yield* Mailbox
  const mail = yield* eventually(
    `a mail to ${persona.name}`,
    Effect.map(mailbox.to(persona.creator.email), (mails) => mails.find(({ text }) => text.includes(content)))
  )
  return extractCreatorToken(mail)
})

export const actAsCreator = Effect.fnUntraced(function* (token: string, action: string, body: unknown = {}) {
  const { call } = yield* TestApi
  const answer = yield* call(`/creator/${token}/${action}`, {
    method: "POST",
    headers: { accept: "application/json" },
    body
  })
  return yield* readJson(answer)
})
