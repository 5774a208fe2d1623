/**
 * Tests the topic's id in log lines. The topic's mail, draft, media, delivery, pages and database queries fail, and
 * each log line must have the id. Also tests the commands and calls that log lines about failed work name.
 */
import { assert, it } from "@effect/vitest"
import { AccessLogEnabled } from "@partner-commentary/server/middleware/AccessLog"
import * as InMemory from "@partner-commentary/test/InMemory"
import { InMemoryWebhookReceivers } from "@partner-commentary/test/InMemoryWebhookReceivers"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import { ScriptedMedia } from "@partner-commentary/test/ScriptedMedia"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { makeWritesFail, stopWriteFailures } from "../support/FailingWrites.ts"
import { waitUntilMailsProcessed } from "../support/MailProcessing.ts"
import { actAsCreator, findCreatorToken, getJson, submitTopic } from "../support/Requests.ts"
import { createWebhook, exampleWebhookUrl } from "../support/WebhookCalls.ts"

interface Line {
  readonly message: string
  readonly annotations: Readonly<Record<string, unknown>>
}

const lines: Array<Line> = []

const log = Layer.mergeAll(
  Logger.layer([Logger.map(Logger.formatStructured, (entry) => void lines.push(entry as unknown as Line))]),
  Layer.succeed(References.MinimumLogLevel, "Debug"),
  Layer.succeed(AccessLogEnabled, true)
)

const logged = (message: string) =>
  eventually(
    `a line: ${message}`,
    Effect.sync(() => lines.some((line) => String(line.message).startsWith(message)))
  )

const content = "Who takes the title this season?"

it.effect("each log line about a topic has the topic's id", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-03-01T09:00:00.000Z"))
    const sql = yield* SqlClient.SqlClient
    const { call } = yield* TestApi
    const mailbox = yield* Mailbox
    const generator = yield* ScriptedGenerator
    const media = yield* ScriptedMedia
    const receivers = yield* InMemoryWebhookReceivers
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner)
    yield* createWebhook(key, { url: exampleWebhookUrl, events: ["creator.approved"] })
    yield* waitUntilMailsProcessed
    lines.length = 0

    yield* mailbox.refuseNext({ permanent: false })
    const topicId = yield* submitTopic(key, content, [persona], { output_types: ["text", "audio"] })
    yield* logged("A mail must wait")
    yield* TestClock.adjust("1 minute")
    const token = yield* findCreatorToken(persona, content)
    yield* call(`/creator/${token}`)

    const defect = (table: string, on: "INSERT" | "UPDATE", rows: (row: string) => string) => ({ table, on, rows })
    const broken = <A, E, R>(fault: ReturnType<typeof defect>, step: Effect.Effect<A, E, R>) =>
      Effect.andThen(makeWritesFail(sql, fault), Effect.andThen(step, stopWriteFailures(sql, fault)))

    yield* generator.failNext({ permanent: false })
    yield* actAsCreator(token, "respond", { perspective: "The keeper decides it." })
    yield* logged("An attempt at a draft failed")
    const ofDraft = defect("assignments", "UPDATE", (row) => `${row}status = 'commentary_generated'`)
    yield* broken(
      ofDraft,
      Effect.andThen(TestClock.adjust("1 minute"), logged("A job ended with a defect: assignments"))
    )
    yield* TestClock.adjust("1 hour")
    yield* eventually(
      "a draft",
      Effect.map(getJson(key, `/topics/${topicId}/status`), ({ data }) => data.summary.commentary_generated === 1)
    )

    const ofApproval = defect("assignments", "UPDATE", (row) => `${row}status = 'creator_approved'`)
    const approve = call(`/creator/${token}/approve`, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ content: "They win." }).toString()
    })
    yield* broken(ofApproval, Effect.andThen(approve, actAsCreator(token, "approve", { content: "They win." })))
    yield* logged("A creator page failed")
    yield* logged("A request failed")

    yield* media.failNext({ permanent: false })
    yield* receivers.answer(() => Effect.die(new Error("the transport broke")))
    yield* approve
    yield* logged("The webhook transport failed unexpectedly")
    yield* logged("An event was not delivered")
    yield* logged("An attempt at audio or video failed")
    const ofDelivery = defect("deliveries", "UPDATE", (row) => `${row}state = 'delivered'`)
    yield* receivers.answer(() => Effect.succeed({ status: 200 }))
    yield* broken(
      ofDelivery,
      Effect.andThen(TestClock.adjust("10 seconds"), logged("A job ended with a defect: deliveries"))
    )

    yield* call(`/partner/v1/topics/${topicId}`, { key })
    yield* call(`/partner/v1/topics/${topicId}/commentaries`, { key })
    yield* sql`ALTER TABLE assignments RENAME TO lost`
    for (const path of ["", "/status", "/commentaries"]) yield* call(`/partner/v1/topics/${topicId}${path}`, { key })
    yield* sql`ALTER TABLE lost RENAME TO assignments`

    const without = lines.filter(({ annotations }) => annotations["topic_id"] !== topicId)
    assert.deepStrictEqual(without, [])
    // Effect logs a value beside the text as a list of both, which a log query for the text does not find.
    assert.deepStrictEqual(
      lines.filter(({ message }) => typeof message !== "string"),
      []
    )

    // The partner knows the event by the id in the webhook's header, which begins with `evt_`.
    for (const message of ["An event was not delivered", "A job ended with a defect: deliveries"]) {
      const { annotations } = lines.find((line) => String(line.message).startsWith(message)) as Line
      assert.match(String(annotations["event"]), /^evt_[\da-f-]{36}$/, message)
    }
  }).pipe(Effect.provide(Layer.provideMerge(InMemory.layerWith({ media: ["audio"] }), log)))
)

it.effect(
  "the log line about a mail that cannot be delivered names the commands and calls that correct the address",
  () =>
    Effect.gen(function* () {
      const owner = yield* Seed.createOrganization()
      const persona = yield* Seed.createPersona(owner)
      const { text: key } = yield* Seed.issueApiKey(owner)
      lines.length = 0
      yield* (yield* Mailbox).refuseNext({ permanent: true })
      yield* submitTopic(key, content, [persona])
      yield* logged("A mail could not be delivered")
      const { annotations } = lines.find(({ message }) => String(message).startsWith("A mail could not")) as Line
      assert.strictEqual(
        annotations["mend"],
        "correct the address (creator change-email, or pc.creators.changeEmail), then send the mail again (mail resend, or pc.creators.resendMail)"
      )
    }).pipe(Effect.provide(Layer.provideMerge(InMemory.layer, log)))
)

it.effect("the log line about the last attempt at a draft names the command and the call that restart the draft", () =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization()
    const persona = yield* Seed.createPersona(owner)
    const { text: key } = yield* Seed.issueApiKey(owner)
    lines.length = 0
    yield* submitTopic(key, content, [persona])
    const token = yield* findCreatorToken(persona, content)
    yield* (yield* ScriptedGenerator).failNext({ permanent: true })
    yield* actAsCreator(token, "respond", { perspective: "The keeper decides it." })
    yield* logged("Every attempt at a draft failed; restart it with the command retry, or with pc.operations.retry()")
  }).pipe(Effect.provide(Layer.provideMerge(InMemory.layer, log)))
)
