/**
 * Tests the documented decisions about mail: delayed and undeliverable mail, quoted content, late drafts, audio and
 * video.
 */
import { assert, it } from "@effect/vitest"
import { CommentaryGenerator } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { Mailer, MailRefused } from "@partner-commentary/core/mail/Mailer"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import {
  getFirstPersona,
  layerOfServiceUnderTest,
  layerOfServiceUnderTestWith,
  openCreatorLink,
  samplePerspective,
  seedPartner,
  submitTopicWithStates,
  waitForCreatorMails
} from "../support/conformance/ServiceUnderTest.ts"
import { eventually } from "../support/Eventually.ts"
import { waitUntilMailsProcessed } from "../support/MailProcessing.ts"

const content = "Will the Lakers make the play-offs?"

/** Each test has its own service, because refused mails affect all tests on one service. */
const check = <A, E>(row: string, test: () => Effect.Effect<A, E, Layer.Success<typeof layerOfServiceUnderTest>>) =>
  it.effect(row, () => Effect.provide(test(), layerOfServiceUnderTest))

for (const [name, refusals, hours, arrived] of [
  ["arrives if the mail server accepts it in that time", 8, 24, 1],
  ["is not sent if the mail server accepts no mail in that time", 16, 60, 0]
] as const)
  check(`a temporarily refused mail is retried for 24 hours, and ${name}`, () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const persona = yield* by.persona()
      const mailbox = yield* Mailbox
      yield* mailbox.refuseNext(...Array.from({ length: refusals }, () => ({ permanent: false })))
      yield* by.submit(content, [persona])
      for (let hour = 0; hour < hours; hour++) {
        yield* waitUntilMailsProcessed
        yield* TestClock.adjust(hour < 3 ? "20 minutes" : "1 hour")
      }
      yield* waitUntilMailsProcessed
      assert.strictEqual((yield* mailbox.to(persona.creator.email)).length, arrived)
    })
  )

check("if a mail is permanently refused, the organization's contact gets a mail", () =>
  Effect.gen(function* () {
    const by = yield* seedPartner({ contactEmail: "newsdesk@courtside.example" })
    const persona = yield* by.persona({ name: "Ada Vance" })
    const mailbox = yield* Mailbox
    yield* mailbox.refuseNext({ permanent: true })
    yield* by.submit(content, [persona])
    yield* waitUntilMailsProcessed
    // The contact gets the mail within an hour, because one mail reports all failures of that hour.
    yield* TestClock.adjust("61 minutes")
    const [alert] = yield* eventually(
      "the contact's mail",
      Effect.map(mailbox.to("newsdesk@courtside.example"), (all) => (all.length > 0 ? all : undefined))
    )
    assert.include(alert?.text, "Ada Vance")
    yield* TestClock.adjust("24 hours")
    assert.deepStrictEqual(yield* mailbox.to(persona.creator.email), [])
  })
)

it.effect("every attempt at a mail has the same Message-ID, so that mail clients can detect a repeated mail", () => {
  const attempts: Array<string> = []
  const mailer = Layer.succeed(
    Mailer,
    Mailer.of({
      send: ({ id }) =>
        Effect.suspend(() =>
          attempts.push(id) < 3 ? Effect.fail(new MailRefused({ permanent: false, reason: "busy" })) : Effect.void
        )
    })
  )
  return Effect.gen(function* () {
    const by = yield* seedPartner()
    const tried = (count: number) =>
      eventually(
        `attempt ${count}`,
        Effect.sync(() => attempts.length === count)
      )
    yield* by.submit(content, [yield* by.persona()])
    yield* tried(1)
    yield* TestClock.adjust("1 minute")
    yield* tried(2)
    yield* TestClock.adjust("5 minutes")
    yield* tried(3)
    yield* by.submit(content, [yield* by.persona()])
    yield* tried(4)
    assert.strictEqual(new Set(attempts.slice(0, 3)).size, 1)
    assert.strictEqual(new Set(attempts).size, 2)
  }).pipe(Effect.provide(layerOfServiceUnderTestWith({ outside: Layer.merge(mailer, ScriptedGenerator.layer) })))
})

check(
  "a mail quotes the partner's text, states that the text is from the organization, and makes URLs in the text unclickable",
  () =>
    Effect.gen(function* () {
      const by = yield* seedPartner({ name: "Courtside App" })
      const persona = yield* by.persona()
      yield* by.submit("Sign in at https://evil.example/login or www.evil.example, ask me@evil.example <b>now</b>", [
        persona
      ])
      const [mail] = yield* waitForCreatorMails(persona, "Sign in at")
      const { html = "", subject = "", text = "" } = mail ?? {}
      assert.match(text, /Courtside App writes:\n\n> Sign in at/)
      assert.match(html, /Courtside App writes:/)
      assert.match(html, /<blockquote[^>]*>Sign in at/)
      for (const part of [text, html, subject]) assert.notMatch(part, /https:\/\/evil|evil\.example|me@evil/)
      assert.notInclude(html, "<b>now")
      const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href ?? "")
      for (const link of links) assert.match(link, /^http:\/\/test\.invalid\/creator\//)
    }).pipe(Effect.asVoid)
)

it.effect("a draft that arrives after the approval is discarded", () => {
  let asked = 0
  let written = 0
  return Effect.gen(function* () {
    const latch = yield* Latch.make(true)
    const generator = Layer.succeed(
      CommentaryGenerator,
      CommentaryGenerator.of({
        generate: () =>
          Effect.suspend(() => {
            asked++
            return latch.whenOpen(Effect.sync(() => `Draft ${++written}: they will, but only just.`))
          })
      })
    )
    yield* Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id, personas } = yield* submitTopicWithStates(by, content, ["commentary_generated"])
      const { act, look } = yield* openCreatorLink(getFirstPersona(personas), content)
      yield* Latch.close(latch)
      yield* act("revise", { instructions: "Shorter" })
      yield* eventually(
        "the second attempt",
        Effect.sync(() => asked === 2)
      )
      assert.strictEqual((yield* act("approve")).status, 200)
      const before = (yield* by.get(`/topics/${id}`)).text
      yield* Latch.open(latch)
      yield* eventually(
        "the second draft",
        Effect.sync(() => written === 2)
      )
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* by.get(`/topics/${id}`)).text, before)
      assert.strictEqual((yield* look).body.data.draft.number, 1)
    }).pipe(
      Effect.provide(
        layerOfServiceUnderTestWith({ outside: Layer.mergeAll(Mailbox.layer, ScriptedGenerator.layer, generator) })
      )
    )
  })
})

check(
  "until the audio and video files are ready, their URLs are null, and the topic is completed with its text only",
  () =>
    Effect.gen(function* () {
      const by = yield* seedPartner()
      const { id } = yield* submitTopicWithStates(by, content, ["creator_approved"], {
        output_types: ["audio", "video"]
      })
      const { overall_status, personas } = (yield* by.get(`/topics/${id}/status`)).body.data
      assert.deepStrictEqual([overall_status, personas[0].status], ["completed", "creator_approved"])
      const [entry] = (yield* by.get(`/topics/${id}/commentaries`)).body.data.commentaries
      assert.include(entry.content, samplePerspective)
      assert.deepStrictEqual([entry.audio_url, entry.video_url], [null, null])
    })
)
