/**
 * For each kind of mail, lists an action that causes the mail, and the maximum number of mails. The maximum holds for
 * any number of repetitions of the action. The compiler requires an entry for each kind of mail.
 */
import type { MailKind } from "@partner-commentary/core/mail/Mail"
import { defaults } from "@partner-commentary/core/shared/Policy"
import { DueJobRunner } from "@partner-commentary/test/DueJobRunner"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import type { TestService } from "@partner-commentary/test/TestService"
import { VirtualClock } from "@partner-commentary/test/VirtualClock"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { actAsCreator, findCreatorToken, submitTopic } from "../../test/support/Requests.ts"
import {
  createWebhook,
  exampleWebhookEvents,
  exampleWebhookUrl,
  getWebhook,
  patchWebhook,
  removeWebhook,
  retryDelivery
} from "../../test/support/WebhookCalls.ts"

const minute = 60_000
const hour = 60 * minute
export const startTime = Date.parse("2026-03-01T09:00:00.000Z")

const content = "Who takes the title this season?"
const failures = (count: number, permanent = true) => Array.from({ length: count }, () => ({ permanent }))

export const runAllDueJobs = Effect.flatMap(DueJobRunner, (work) => work.finish)

const pass = (millis: number) =>
  Effect.gen(function* () {
    const { now } = yield* VirtualClock
    yield* (yield* DueJobRunner).advanceTo(now() + millis)
  })

/** Runs `step` `count` times, and runs all due work after each time. */
const times = <E, R>(count: number, step: (index: number) => Effect.Effect<unknown, E, R>) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) => Effect.andThen(step(index), runAllDueJobs)
  )

const partner = Effect.gen(function* () {
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  return { key, persona }
})

/**
 * Submits a topic and delivers the request mail to the creator. Returns functions for the partner's and the creator's
 * actions.
 */
const requested = Effect.gen(function* () {
  const { key, persona } = yield* partner
  const id = yield* submitTopic(key, content, [persona])
  yield* runAllDueJobs
  const cancel = Effect.flatMap(TestApi, ({ call }) => call(`/partner/v1/topics/${id}/cancel`, { method: "POST", key }))
  const token = yield* findCreatorToken(persona, content)
  const send = Effect.flatMap(TestApi, ({ call }) =>
    call("/partner/v1/topics", { method: "POST", key, body: { content, persona_ids: [persona.id, persona.id] } })
  )
  const answer = actAsCreator(token, "respond", { perspective: "The keeper decides it." })
  const revise = Effect.flatMap(answer, ({ data }) =>
    actAsCreator(token, "revise", { draft_id: data?.draft?.id, instructions: "Shorter." })
  )
  return { cancel, key, send, token, respond: Effect.andThen(answer, runAllDueJobs), revise }
})

/** Creates a webhook with one due event. */
const hooked = Effect.gen(function* () {
  const { key, token } = yield* requested
  const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
  yield* actAsCreator(token, "decline", { reason: "No." })
  const activate = patchWebhook(key, id, { status: "active" })
  const again = Effect.flatMap(getWebhook(key, `/${id}/deliveries`), ({ body }) =>
    retryDelivery(key, id, body.data[0].id)
  )
  return { activate, again, id, key }
})

const answering = (status: number) =>
  Effect.flatMap(InMemoryWebhookReceivers, ({ answer }) => answer(() => Effect.succeed({ status })))

interface Bound {
  readonly cause: string
  readonly limit: number
  /** The subject to which the limit applies, as part of the test's title. */
  readonly per: string
  /** Causes the mail more often than the limit. */
  readonly drive: Effect.Effect<unknown, unknown, Layer.Success<ReturnType<typeof TestService.layer>>>
}

export const mailLimitCases: Readonly<Record<MailKind, Bound>> = {
  request: {
    cause: "a topic that is submitted 30 times",
    limit: 1,
    per: "assignment",
    drive: Effect.flatMap(requested, ({ send }) => times(30, () => send))
  },
  reminder: {
    cause: "a creator who sends an invalid response each hour",
    limit: 1,
    per: "assignment",
    drive: Effect.flatMap(requested, ({ token }) =>
      times(60, () => Effect.andThen(actAsCreator(token, "respond", { perspective: "No." }), pass(hour)))
    )
  },
  draft: {
    cause: "a creator who asks 30 times for another draft",
    limit: defaults.maxDrafts,
    per: "assignment, and one for each draft",
    drive: Effect.flatMap(requested, ({ respond, revise }) =>
      Effect.andThen(
        respond,
        times(30, () => Effect.andThen(revise, pass(minute)))
      )
    )
  },
  approval_reminder: {
    cause: "a creator who asks for another draft after each reminder",
    limit: defaults.maxDrafts,
    per: "assignment, and one for each draft",
    drive: Effect.flatMap(requested, ({ respond, revise }) =>
      Effect.andThen(
        respond,
        times(15, () => Effect.andThen(pass(90 * hour), revise))
      )
    )
  },
  approval_last_call: {
    cause: "a creator who asks for another draft after each last call",
    limit: defaults.maxDrafts,
    per: "assignment, and one for each draft",
    drive: Effect.flatMap(requested, ({ respond, revise }) =>
      Effect.andThen(
        respond,
        times(15, () => Effect.andThen(pass(160 * hour), revise))
      )
    )
  },
  stalled: {
    cause: "a creator who restarts a failing draft each minute for three hours",
    limit: 4,
    per: "assignment in three hours, at one an hour",
    drive: Effect.gen(function* () {
      const { respond, token } = yield* requested
      yield* (yield* ScriptedGenerator).failNext(...failures(181))
      yield* respond
      yield* times(180, () => Effect.andThen(actAsCreator(token, "revise"), pass(minute)))
    })
  },
  cancelled: {
    cause: "a partner who cancels a topic 30 times while its creator tries to decline the request",
    limit: 1,
    per: "assignment",
    drive: Effect.flatMap(requested, ({ cancel, token }) =>
      times(30, () => Effect.all([cancel, actAsCreator(token, "decline"), pass(minute)]))
    )
  },
  desk: {
    cause: "a creator who asks each second for the link to all requests",
    limit: 2,
    per: "address in ten minutes, at one in five minutes",
    drive: Effect.flatMap(requested, ({ token }) =>
      times(600, () => Effect.andThen(actAsCreator(token, "desk"), pass(1000)))
    )
  },
  undeliverable: {
    cause: "40 requests in two hours whose mails are refused",
    limit: 3,
    per: "organization in two hours, at one an hour",
    drive: Effect.gen(function* () {
      const { key, persona } = yield* partner
      yield* (yield* Mailbox).refuseNext(...failures(40))
      yield* times(40, (index) =>
        Effect.andThen(submitTopic(key, `Who is number ${index} this season?`, [persona]), pass(3 * minute))
      )
      yield* pass(2 * hour)
    })
  },
  webhook_added: {
    cause: "a partner who adds and removes a webhook 100 times",
    limit: 3,
    per: "organization in ten minutes, at one in five minutes",
    drive: Effect.flatMap(partner, ({ key }) =>
      times(100, () =>
        Effect.gen(function* () {
          const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
          yield* removeWebhook(key, id)
          yield* pass(6000)
        })
      )
    )
  },
  webhook_moved: {
    cause: "a partner who adds a webhook and changes the webhook's URL 100 times",
    limit: 4,
    per: "organization in 20 minutes, at one in five minutes",
    drive: Effect.gen(function* () {
      const { key } = yield* partner
      const { id } = (yield* createWebhook(key, { url: exampleWebhookUrl, events: exampleWebhookEvents })).body.data
      yield* pass(10 * minute)
      yield* times(100, (index) =>
        Effect.andThen(patchWebhook(key, id, { url: `https://host${index}.example/` }), pass(6000))
      )
    })
  },
  webhook_failing: {
    cause: "a partner who retries a failing delivery and activates the webhook each quarter of an hour",
    limit: 4,
    per: "webhook in 40 hours, at one in twelve hours",
    drive: Effect.gen(function* () {
      const { activate, again } = yield* hooked
      yield* answering(500)
      yield* runAllDueJobs
      yield* times(40 * 4, (index) =>
        Effect.gen(function* () {
          yield* again
          if (index % 60 === 59) yield* activate
          yield* pass(15 * minute)
        })
      )
    })
  },
  webhook_disabled: {
    cause: "a partner who activates a webhook each time after the receiver responds with 410",
    limit: 3,
    per: "organization in ten minutes, at one in five minutes",
    drive: Effect.gen(function* () {
      const { activate, again } = yield* hooked
      yield* answering(410)
      yield* runAllDueJobs
      yield* times(100, () => Effect.all([activate, again, pass(6000)]))
    })
  },
  webhook_throttled: {
    cause: "a partner who retries a throttled delivery and activates the webhook each minute",
    limit: 2,
    per: "webhook in a day, including the mail about the new webhook",
    drive: Effect.gen(function* () {
      const { activate, again } = yield* hooked
      yield* answering(429)
      yield* runAllDueJobs
      yield* times(240, () => Effect.all([activate, again, pass(minute)]))
    })
  }
}
