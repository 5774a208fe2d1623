/**
 * The service over real HTTP for one file of the suite, and those who use it: partners with their own organization, and
 * creators behind the links in their mails. What they are answered is read as it came, by no type of the service's.
 */
import type { Persona } from "@partner-commentary/core/persona/Persona"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox, tokenIn } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { type Call, TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../Eventually.ts"

export const start = Date.parse("2026-03-02T09:00:00.000Z")

/** Give it to `layer` of `@effect/vitest`, once a file. */
export const service = TestApi.layerHttp.pipe(
  Layer.provideMerge(TestApi.workers),
  Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })),
  Layer.provideMerge(Layer.effectDiscard(TestClock.setTime(start)))
)

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape instead of declaring it
  readonly body: any
}

/** A path below `{api_root}`; the body is undefined where the answer is no JSON. */
export const ask = Effect.fnUntraced(function* (path: string, call?: Call) {
  const response = yield* (yield* TestApi).call(path, call)
  const text = yield* Effect.promise(() => response.text())
  const body = /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : undefined
  return { status: response.status, headers: response.headers, text, body } satisfies Answer
})

/** What of a request differs from a plain one with the partner's key. */
type With = Omit<Call, "method" | "body">

/** An organization of its own, with a live key of every scope and paths below `{base_url}`. */
export const partner = Effect.fnUntraced(function* (given: Parameters<typeof Seed.organization>[0] = {}) {
  const organization = yield* Seed.organization(given)
  const { id: keyId, text: key } = yield* Seed.key(organization)
  const send = (method: string, path: string, body: unknown, call: With = {}) =>
    ask(`/partner/v1${path}`, { method, key, ...(body === undefined ? {} : { body }), ...call })
  const get = (path: string, call?: With) => send("GET", path, undefined, call)
  const post = (path: string, body?: unknown, call?: With) => send("POST", path, body, call)
  const patch = (path: string, body: unknown, call?: With) => send("PATCH", path, body, call)
  const remove = (path: string, call?: With) => send("DELETE", path, undefined, call)
  const persona = (given: Partial<Persona> = {}) => Seed.persona(organization, given)
  /** The answer's `data`; a refusal fails the test. */
  const submit = (content: string, personas: ReadonlyArray<Persona>, more: object = {}) =>
    Effect.flatMap(post("/topics", { content, persona_ids: personas.map(({ id }) => id), ...more }), (answer) =>
      answer.status === 201 ? Effect.succeed(answer.body.data) : Effect.die(new Error(answer.text))
    )
  return { organization, keyId, key, get, post, patch, remove, persona, submit }
})
export type Partner = Effect.Success<ReturnType<typeof partner>>

/** What an assignment can be brought to. The last three leave the status where it was, and settle it without a commentary. */
export type State =
  | "topic_sent"
  | "opinion_injected"
  | "commentary_generated"
  | "creator_approved"
  | "declined"
  | "expired"
  | "generation_failed"
  | "approval_timeout"
  | "withdrawn"

/** The mails to a persona's creator that quote this content, once there are so many. */
export const mails = Effect.fnUntraced(function* (persona: Persona, content: string, count = 1) {
  const mailbox = yield* Mailbox
  return yield* eventually(
    `${count} mails to ${persona.name}`,
    Effect.map(mailbox.to(persona.creator.email), (all) => {
      const about = all.filter(({ text }) => text.includes(content))
      return about.length >= count ? about : undefined
    })
  )
})

/** A persona's creator with the link of the first mail about this content: looks and acts in JSON. */
export const creator = Effect.fnUntraced(function* (persona: Persona, content: string) {
  const [mail] = yield* mails(persona, content)
  const token = mail === undefined ? "" : tokenIn(mail)
  const accept = { headers: { accept: "application/json" } }
  const look = ask(`/creator/${token}`, accept)
  const act = (action: string, body: unknown = {}) =>
    ask(`/creator/${token}/${action}`, { method: "POST", body, ...accept })
  const until = (status: string, drafts = 0) =>
    eventually(
      `${persona.name} is ${status}`,
      Effect.map(look, ({ body }) =>
        body.data.status === status && (body.data.draft?.number ?? 0) >= drafts ? body.data : undefined
      )
    )
  return { token, look, act, until }
})

export const perspective = "They will, but only just: the defence has woken up."

/** A creator takes a request that was just sent to one state. Deadlines pass by the clock, for everybody in the file. */
export const bring = Effect.fnUntraced(function* (persona: Persona, content: string, state: State) {
  const { act, look, until } = yield* creator(persona, content)
  const settled = (reason: string) =>
    eventually(
      `${persona.name} is settled as ${reason}`,
      Effect.map(look, ({ body }) => body.data.failure?.reason === reason)
    )
  const stalled = Effect.gen(function* () {
    yield* (yield* ScriptedGenerator).failNext({ permanent: true })
    yield* act("respond", { perspective })
    yield* eventually(
      `${persona.name} waits for a new start`,
      Effect.map(look, ({ body }) => body.data.generation === "stalled")
    )
  })
  const drafted = Effect.andThen(act("respond", { perspective }), until("commentary_generated"))
  switch (state) {
    case "topic_sent":
      return
    case "opinion_injected":
      return yield* stalled
    case "commentary_generated":
      return void (yield* drafted)
    case "creator_approved":
      return void (yield* Effect.andThen(drafted, act("approve")))
    case "declined":
      return void (yield* act("decline"))
    case "withdrawn":
      return void (yield* Effect.andThen(drafted, act("withdraw")))
    case "expired":
      yield* TestClock.adjust("48 hours")
      return yield* settled("expired")
    case "generation_failed":
      yield* stalled
      yield* TestClock.adjust("24 hours")
      return yield* settled("generation_failed")
    case "approval_timeout":
      yield* drafted
      yield* TestClock.adjust("7 days")
      return yield* settled("approval_timeout")
  }
})

/** A partner sends one topic to one persona for each state, and their creators bring it there in the order that is given. */
export const story = Effect.fnUntraced(function* (
  by: Partner,
  content: string,
  states: ReadonlyArray<State>,
  more: object = {}
) {
  const personas = yield* Effect.forEach(states, (state) => by.persona({ name: `Persona ${state}` }))
  const topic = yield* by.submit(content, personas, more)
  for (const [index, state] of states.entries()) yield* bring(personas[index] as Persona, content, state)
  return { id: topic.topic_id as string, content, personas, topic }
})
