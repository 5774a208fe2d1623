/** Tests that an erasure removes the creator's address from all mails, and that a repetition covers late submissions. */
import { assert, it } from "@effect/vitest"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import { CreatorPortal } from "@partner-commentary/core/creator/CreatorPortal"
import { Mailer, MailRefused } from "@partner-commentary/core/mail/Mailer"
import { Topics } from "@partner-commentary/core/topic/Topics"
import * as Application from "@partner-commentary/test/Application"
import * as InMemory from "@partner-commentary/test/InMemory"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { waitUntilMailsProcessed } from "../support/MailProcessing.ts"
import { findCreatorToken, submitTopic } from "../support/Requests.ts"

const content = "Who takes the title this season?"

const submitted = Effect.fnUntraced(function* (email: string) {
  yield* TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))
  const owner = yield* Seed.createOrganization()
  const persona = yield* Seed.createPersona(owner, { creator: { name: "Ada", email } })
  const { text: key } = yield* Seed.issueApiKey(owner)
  yield* submitTopic(key, content, [persona])
  return persona
})

const quotingMailer = Layer.succeed(Mailer, {
  send: ({ to }) => Effect.fail(new MailRefused({ permanent: true, reason: `550 ${to.address}: unknown` }))
})

it.effect("an erasure clears the reasons of the creator's failed mails, because a reason may quote the address", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { creator } = yield* submitted("ada.lovelace@creators.example")
    yield* Layer.build(TestApi.workers)
    yield* waitUntilMailsProcessed
    const stored = Effect.map(sql`SELECT * FROM mails`, (rows) => JSON.stringify(rows))
    assert.include(yield* stored, creator.email)
    yield* (yield* CreatorAdministration).erase(creator.email)
    assert.notInclude(yield* stored, creator.email)
  }).pipe(
    Effect.scoped,
    Effect.provide(
      TestApi.layerMemory.pipe(
        Layer.provideMerge(Application.layer({ outside: Layer.merge(quotingMailer, ScriptedGenerator.layer) }))
      )
    )
  )
)

for (const email of ["Elodie@example.com", "Élodie@example.com"]) {
  it.effect(`an erasure cancels the queued mail with an inbox link to ${email}`, () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox
      const persona = yield* submitted(email)
      const token = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(TestApi.workers)
          return yield* findCreatorToken(persona, content)
        })
      )
      yield* (yield* CreatorPortal).mailInboxLink(token)
      const before = yield* mailbox.to(email)
      yield* (yield* CreatorAdministration).erase(email)
      yield* Layer.build(TestApi.workers)
      yield* waitUntilMailsProcessed
      assert.deepStrictEqual(yield* mailbox.to(email), before)
      const rows = yield* (yield* SqlClient.SqlClient)`SELECT address FROM mails WHERE kind = 'desk'`
      assert.deepStrictEqual(rows, [{ address: null }])
    }).pipe(Effect.scoped, Effect.provide(InMemory.layerWithoutWorkers()))
  )
}

/** Prepares a submission, runs `change`, submits, and runs `change` again. Returns the mails to the former address. */
const mailsAfterRepeated = (change: (email: string) => Effect.Effect<unknown, never, CreatorAdministration>) =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner)
    const principal = yield* (yield* ApiKeys).authenticate(key, "127.0.0.1")
    const topics = yield* Topics
    const submission = yield* topics.prepare(principal, {
      content,
      personaIds: [persona.id],
      externalReference: null,
      outputTypes: ["text"],
      metadata: {}
    })
    const { email } = persona.creator
    yield* change(email)
    yield* topics.submit(submission)
    yield* change(email)
    yield* Layer.build(TestApi.workers)
    yield* waitUntilMailsProcessed
    const rows = yield* (yield* SqlClient.SqlClient)`SELECT * FROM assignments`
    assert.notInclude(JSON.stringify(rows), email)
    return yield* (yield* Mailbox).to(email)
  }).pipe(Effect.scoped, Effect.provide(InMemory.layerWithoutWorkers()))

it.effect("a repeated erasure erases a request whose submission had read the persona before the first erasure", () =>
  Effect.map(
    mailsAfterRepeated((email) => CreatorAdministration.use(({ erase }) => erase(email))),
    (mails) => assert.deepStrictEqual(mails, [])
  )
)

it.effect("a repeated change of an address covers a request whose submission had read the persona before", () =>
  Effect.map(
    mailsAfterRepeated((email) =>
      CreatorAdministration.use(({ changeEmail }) => changeEmail(email, "new@example.com"))
    ),
    (mails) => assert.deepStrictEqual(mails, [])
  )
)
