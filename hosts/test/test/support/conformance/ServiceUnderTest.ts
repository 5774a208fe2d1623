/**
 * Provides the whole service for one test file. The users are partners with their own organization, and creators with
 * the links from their mails. Responses are read as received, without the service's types.
 */
import { assert } from "@effect/vitest"
import type { Persona } from "@partner-commentary/core/persona/Persona"
import type { AssignmentStatus, FailureReason } from "@partner-commentary/core/topic/Assignment"
import * as Application from "@partner-commentary/test/Application"
import { extractCreatorToken, Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi, type TestApiCall } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../Eventually.ts"
import { layerTestApi } from "../Loopback.ts"

export const startTime = Date.parse("2026-03-02T09:00:00.000Z")

/** Each test file may provide another policy, mailer or generator. */
export const layerOfServiceUnderTestWith = <Seen, E>(options: Parameters<typeof Application.layer<Seen, E>>[0]) =>
  layerTestApi.pipe(
    Layer.provideMerge(TestApi.workers),
    Layer.provideMerge(Application.layer(options)),
    Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(startTime)))
  )

/** The scripted external services. */
export const layerOfScriptedExternalServices = Layer.merge(Mailbox.layer, ScriptedGenerator.layer)

/**
 * Provides the service to all tests of a file, with `layer` of `@effect/vitest`. A test file may use this layer only
 * once.
 */
export const layerOfServiceUnderTest = layerOfServiceUnderTestWith({ outside: layerOfScriptedExternalServices })

export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of the JSON
  readonly body: any
}

/** Sends a request to a path below `{api_root}`. The body is undefined if the response is not JSON. */
export const sendRequest = Effect.fnUntraced(function* (path: string, call?: TestApiCall) {
  const response = yield* (yield* TestApi).call(path, call)
  const text = yield* Effect.promise(() => response.text())
  const body = /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : undefined
  return { status: response.status, headers: response.headers, text, body } satisfies ApiResponse
})

/** Options of a request, which by default has the partner's key and no headers. */
type With = Omit<TestApiCall, "method" | "body">

/**
 * Creates an organization with a live key that has every scope. The returned functions send requests to paths below
 * `{base_url}`.
 */
export const seedPartner = Effect.fnUntraced(function* (given: Parameters<typeof Seed.createOrganization>[0] = {}) {
  const organization = yield* Seed.createOrganization(given)
  const { id: keyId, text: key } = yield* Seed.issueApiKey(organization)
  const send = (method: string, path: string, body: unknown, call: With = {}) =>
    sendRequest(`/partner/v1${path}`, { method, key, ...(body === undefined ? {} : { body }), ...call })
  const get = (path: string, call?: With) => send("GET", path, undefined, call)
  const post = (path: string, body?: unknown, call?: With) => send("POST", path, body, call)
  const patch = (path: string, body: unknown, call?: With) => send("PATCH", path, body, call)
  const remove = (path: string, call?: With) => send("DELETE", path, undefined, call)
  const persona = (given: Partial<Persona> = {}) => Seed.createPersona(organization, given)
  /** Returns the response's `data`. A refusal fails the test. */
  const submit = (content: string, personas: ReadonlyArray<Persona>, more: object = {}) =>
    Effect.flatMap(post("/topics", { content, persona_ids: personas.map(({ id }) => id), ...more }), (answer) =>
      answer.status === 201 ? Effect.succeed(answer.body.data) : Effect.die(new Error(answer.text))
    )
  return { organization, keyId, key, get, post, patch, remove, persona, submit }
})
export type SeededPartner = Effect.Success<ReturnType<typeof seedPartner>>

/**
 * The states into which a test can bring an assignment. If a failure reason is not an assignment status, the assignment
 * failed without a change of its status.
 */
export type AssignmentState = AssignmentStatus | Exclude<FailureReason, "cancelled">

/** Waits until a persona's creator has received `count` mails that quote this content. */
export const waitForCreatorMails = Effect.fnUntraced(function* (persona: Persona, content: string, count = 1) {
  const mailbox = yield* Mailbox
  const found = yield* eventually(
    `${count} mails to ${persona.name}`,
    Effect.map(mailbox.to(persona.creator.email), (all) => {
      const about = all.filter(({ text }) => text.includes(content))
      return about.length >= count ? about : undefined
    })
  )
  // Wait until the worker has stored that the mails were sent.
  yield* TestClock.adjust(0)
  return found
})

/**
 * Finds the link in the first mail about this content to a persona's creator. Returns functions that read the creator's
 * view and send the creator's actions as JSON.
 */
export const openCreatorLink = Effect.fnUntraced(function* (persona: Persona, content: string) {
  const [mail] = yield* waitForCreatorMails(persona, content)
  const token = mail === undefined ? "" : extractCreatorToken(mail)
  const accept = { headers: { accept: "application/json" } }
  const look = sendRequest(`/creator/${token}`, accept)
  const act = (action: string, body: unknown = {}) =>
    sendRequest(`/creator/${token}/${action}`, { method: "POST", body, ...accept })
  return { token, look, act }
})

/** Waits until a persona's entry in a topic's status has this status or failure reason. */
export const waitForState = (by: SeededPartner, topicId: string, persona: Persona, state: string) =>
  eventually(
    `${persona.name} is ${state}`,
    Effect.map(by.get(`/topics/${topicId}/status`), ({ body }) => {
      const entry = body.data.personas.find((one: { readonly persona_id: string }) => one.persona_id === persona.id)
      return entry.status === state || entry.failure?.reason === state ? entry : undefined
    })
  )

export const samplePerspective = "They will, but only just: the defence has woken up."

export interface SubmittedTopic {
  readonly by: SeededPartner
  readonly id: string
  readonly content: string
}

/**
 * Brings a newly sent assignment to a state. To pass a deadline, `bringAssignmentToState` moves the clock that all
 * tests of a file share.
 */
export const bringAssignmentToState = Effect.fnUntraced(function* (
  { by, content, id }: SubmittedTopic,
  persona: Persona,
  state: AssignmentState
) {
  const { act } = yield* openCreatorLink(persona, content)
  const drafted = Effect.andThen(
    act("respond", { perspective: samplePerspective }),
    waitForState(by, id, persona, "commentary_generated")
  )
  if (state === "topic_sent") return
  if (state === "declined") yield* act("decline")
  if (state === "opinion_injected" || state === "generation_failed") {
    yield* (yield* ScriptedGenerator).failNext({ permanent: true })
    yield* act("respond", { perspective: samplePerspective })
    yield* waitForCreatorMails(persona, content, 2)
  }
  if (state === "commentary_generated" || state === "approval_timeout") yield* drafted
  if (state === "creator_approved") yield* Effect.andThen(drafted, act("approve"))
  if (state === "withdrawn") yield* Effect.andThen(drafted, act("withdraw"))
  if (state === "expired") yield* TestClock.adjust("48 hours")
  if (state === "generation_failed") yield* TestClock.adjust("24 hours")
  if (state === "approval_timeout") yield* TestClock.adjust("7 days")
  yield* waitForState(by, id, persona, state)
})

/**
 * Submits one topic with one persona for each given state. The creators then bring their assignments to these states,
 * one after another.
 */
export const submitTopicWithStates = Effect.fnUntraced(function* (
  by: SeededPartner,
  content: string,
  states: ReadonlyArray<AssignmentState>,
  more: object = {}
) {
  const personas = yield* Effect.forEach(states, (state) => by.persona({ name: `Persona ${state}` }))
  const topic = yield* by.submit(content, personas, more)
  const sent: SubmittedTopic = { by, content, id: topic.topic_id }
  for (const [index, state] of states.entries()) yield* bringAssignmentToState(sent, personas[index] as Persona, state)
  return { ...sent, personas, topic }
})

/** Returns the first persona of a list. Throws an error if the list is empty. */
export const getFirstPersona = ([persona]: ReadonlyArray<Persona>): Persona =>
  persona ?? assert.fail("the story has no persona")
