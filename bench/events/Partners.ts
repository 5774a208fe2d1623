/** A database with drafts that wait for their creators' word, made by the service itself in this process: partners, webhooks, topics, answers. */

import { LimitName } from "@partner-commentary/core/partner/Plan"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox, tokenIn } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { type Call, TestApi } from "@partner-commentary/test/TestApi"
import * as NodeWebhookTransport from "@partner-commentary/webhook/NodeWebhookTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface Wanted {
  /** Where its events go: one webhook for each. */
  readonly urls: ReadonlyArray<string>
  readonly drafts: number
}

const personas = 50

const limits = Object.fromEntries(LimitName.literals.map((name) => [name, 1_000_000_000]))

const asked = Effect.fnUntraced(function* (path: string, call: Call) {
  const answer = yield* (yield* TestApi).call(path, call)
  const body = yield* Effect.promise(() => answer.text())
  return answer.ok ? body : yield* Effect.die(new Error(`${path} was answered with ${answer.status}: ${body}`))
})

const submitted = Effect.fnUntraced(function* (wanted: Wanted, number: number) {
  const owner = yield* Seed.organization({ name: `Partner ${number}`, limits })
  const known = yield* Effect.forEach(Array.from({ length: Math.min(personas, wanted.drafts) }), () =>
    Seed.persona(owner)
  )
  const { text: key } = yield* Seed.key(owner)
  for (const url of wanted.urls) {
    yield* asked("/partner/v1/webhooks", { method: "POST", key, body: { url, events: ["creator.approved"] } })
  }
  for (let left = wanted.drafts; left > 0; left -= known.length) {
    const content = `Which team improves the most over the rest of season ${number}-${left}, and why?`
    const persona_ids = known.slice(0, left).map(({ id }) => id)
    const metadata = { season: left, note: "x".repeat(200) }
    yield* asked("/partner/v1/topics", { method: "POST", key, body: { content, persona_ids, metadata } })
  }
})

/** The tokens of so many mails more, once they are there. */
const tokens = Effect.fnUntraced(function* (from: number, count: number) {
  const { all } = yield* Mailbox
  const creators = Effect.map(all, (mails) => mails.filter(({ to }) => to.address.endsWith("@creators.example")))
  for (;;) {
    const mails = yield* creators
    if (mails.length >= from + count)
      return mails.slice(from, from + count).map((mail) => ({ mail, token: tokenIn(mail) }))
    yield* Effect.sleep("50 millis")
  }
})

/** The tokens by which each partner's drafts can be approved, in the order of the partners. */
export const make = (filename: string, secret: string, wanted: ReadonlyArray<Wanted>) =>
  Effect.gen(function* () {
    const made: Array<ReadonlyArray<string>> = []
    let mails = 0
    for (const [number, each] of wanted.entries()) {
      yield* submitted(each, number)
      const requests = yield* tokens(mails, each.drafts)
      const body = { perspective: "Form beats fame, and I stand by it. ".repeat(10) }
      const headers = { accept: "application/json" }
      yield* Effect.forEach(
        requests,
        ({ token }) => asked(`/creator/${token}/respond`, { method: "POST", headers, body }),
        { concurrency: 32 }
      )
      const drafts = yield* tokens(mails + each.drafts, each.drafts)
      made.push(drafts.map(({ token }) => token))
      mails += 2 * each.drafts
    }
    return made
  }).pipe(
    Effect.provide(
      TestApi.layerMemory.pipe(
        Layer.provideMerge(TestApi.workers),
        Layer.provideMerge(
          Application.layer({
            filename,
            secret,
            transport: NodeWebhookTransport.layer({ allowPrivate: true }),
            outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer)
          })
        )
      )
    )
  )
