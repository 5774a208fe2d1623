/**
 * Helpers for delivery tests: a partner with a creator who declines, a webhook, and the events that the webhook
 * received.
 */

import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "./Eventually.ts"
import { actAsCreator, findCreatorToken, submitTopic } from "./Requests.ts"
import { createWebhook, exampleWebhookUrl, getWebhook } from "./WebhookCalls.ts"

const start = Date.parse("2026-03-01T09:00:00.000Z")

/** Creates an organization with a key and a licensed persona. The test can make this persona's creator decline. */
export const seedDecliningPartner = Effect.gen(function* () {
  if ((yield* Clock.currentTimeMillis) === 0) yield* TestClock.setTime(start)
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  const declined = Effect.fnUntraced(function* (content: string) {
    yield* submitTopic(key, content, [persona])
    yield* actAsCreator(yield* findCreatorToken(persona, content), "decline", { reason: "No." })
  })
  /** Returns the first mail to the contact whose subject starts with `subject`. */
  const mails = (subject: string) =>
    eventually(
      subject,
      Effect.flatMap(Mailbox, (mailbox) =>
        Effect.map(mailbox.to(owner.contactEmail ?? ""), (sent) =>
          sent.find((mail) => mail.subject.startsWith(subject))
        )
      )
    )
  return { owner, persona, key, declined, mails }
})

export const registerWebhook = Effect.fnUntraced(function* (
  key: string,
  events: ReadonlyArray<string>,
  at = exampleWebhookUrl
) {
  const { data } = (yield* createWebhook(key, { url: at, events })).body
  const id = data.id as string
  /** Waits until the webhook shows `count` consecutive failures. */
  const failures = (count: number) =>
    eventually(
      `${count} failures`,
      Effect.map(getWebhook(key, `/${id}`), ({ body }) =>
        body.data.consecutive_failures === count && body.data.last_delivery_at !== null ? body.data : undefined
      )
    )
  return { id, secret: data.secret as string, failures }
})

/** Reads a webhook's deliveries as the partner sees them. */
export const makeDeliveriesApiReader = (key: string, id: string) => {
  const page = (query = "") => getWebhook(key, `/${id}/deliveries${query}`)
  const list = (query?: string) => Effect.map(page(query), ({ body }) => body.data)
  return {
    page,
    list,
    /**
     * Waits until `count` deliveries are recorded as delivered. The receiver gets each event before the service records
     * the delivery as delivered.
     */
    delivered: (count: number) =>
      eventually(
        `${count} written down`,
        Effect.map(list("?status=delivered"), ({ length }) => length === count)
      ),
    one: (delivery: string) => Effect.map(getWebhook(key, `/${id}/deliveries/${delivery}`), ({ body }) => body.data)
  }
}

/** Moves the clock to the time of the newest delivery's next attempt. */
export const advanceToNextAttempt = Effect.fnUntraced(function* (
  list: ReturnType<typeof makeDeliveriesApiReader>["list"]
) {
  const planned = yield* eventually(
    "a planned attempt",
    Effect.map(list(), ([newest]) => newest?.next_attempt_at ?? undefined)
  )
  yield* TestClock.setTime(Date.parse(planned))
})

/** Returns all requests to webhooks, oldest first. */
export const readWebhookRequests = Effect.flatMap(InMemoryWebhookReceivers, ({ sent }) => sent)

export const readSentEvents = Effect.map(readWebhookRequests, (requests) =>
  requests.map((request) => ({ request, event: JSON.parse(request.body) }))
)

/** Waits until at least `count` events have arrived. */
export const waitForEvents = (count: number) =>
  eventually(
    `${count} events`,
    Effect.map(readSentEvents, (all) => (all.length >= count ? all : undefined))
  )
