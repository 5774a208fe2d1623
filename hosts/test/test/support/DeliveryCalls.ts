/** What tests of deliveries share: a partner with a creator who declines, a webhook to look at, and what arrived there. */
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { Receivers } from "@partner-commentary/test/Receivers"
import * as Seed from "@partner-commentary/test/Seed"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "./Eventually.ts"
import { act, submit, tokenFor } from "./Requests.ts"
import { get, post, url } from "./WebhookCalls.ts"

const start = Date.parse("2026-03-01T09:00:00.000Z")

/** An organization with a key and a licensed persona, whose creator can be made to decline. */
export const seeded = Effect.gen(function* () {
  if ((yield* Clock.currentTimeMillis) === 0) yield* TestClock.setTime(start)
  const owner = yield* Seed.organization()
  const persona = yield* Seed.persona(owner)
  const { text: key } = yield* Seed.key(owner)
  const declined = Effect.fnUntraced(function* (content: string) {
    yield* submit(key, content, [persona])
    yield* act(yield* tokenFor(persona, content), "decline", { reason: "No." })
  })
  /** The first mail to the contact whose subject begins like this. */
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

export const webhookOf = Effect.fnUntraced(function* (key: string, events: ReadonlyArray<string>, at = url) {
  const { data } = (yield* post(key, { url: at, events })).body
  const id = data.id as string
  /** The webhook, once it shows so many failures in a row. */
  const failures = (count: number) =>
    eventually(
      `${count} failures`,
      Effect.map(get(key, `/${id}`), ({ body }) =>
        body.data.consecutive_failures === count && body.data.last_delivery_at !== null ? body.data : undefined
      )
    )
  return { id, secret: data.secret as string, failures }
})

/** What the partner is shown of a webhook's deliveries. */
export const deliveriesOf = (key: string, id: string) => {
  const page = (query = "") => get(key, `/${id}/deliveries${query}`)
  const list = (query?: string) => Effect.map(page(query), ({ body }) => body.data)
  return {
    page,
    list,
    /** Waits until so many that arrived are written down: each is seen at the receiver before, and is under way until then. */
    delivered: (count: number) =>
      eventually(
        `${count} written down`,
        Effect.map(list("?status=delivered"), ({ length }) => length === count)
      ),
    one: (delivery: string) => Effect.map(get(key, `/${id}/deliveries/${delivery}`), ({ body }) => body.data)
  }
}

/** The moment at which the newest delivery is tried again. */
export const nextAttempt = Effect.fnUntraced(function* (list: ReturnType<typeof deliveriesOf>["list"]) {
  const planned = yield* eventually(
    "a planned attempt",
    Effect.map(list(), ([newest]) => newest?.next_attempt_at ?? undefined)
  )
  yield* TestClock.setTime(Date.parse(planned))
})

/** Requests to webhooks, oldest first. */
export const bodies = Effect.flatMap(Receivers, ({ sent }) => sent)

export const eventsSent = Effect.map(bodies, (requests) =>
  requests.map((request) => ({ request, event: JSON.parse(request.body) }))
)

/** What arrived, once there is so much of it. */
export const received = (count: number) =>
  eventually(
    `${count} events`,
    Effect.map(eventsSent, (all) => (all.length >= count ? all : undefined))
  )
