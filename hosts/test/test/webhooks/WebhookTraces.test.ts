/**
 * Tests the only effects of registering and changing webhooks: a mail to the contact, an audit record and an encrypted
 * secret.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import { Encryption } from "@partner-commentary/core/shared/Encryption"
import { WebhookId } from "@partner-commentary/core/shared/Ids"
import { makeSecretEncryptionPurpose } from "@partner-commentary/core/webhook/WebhookSecret"
import { WebhookStore } from "@partner-commentary/core/webhook/WebhookStore"
import * as InMemory from "@partner-commentary/test/InMemory"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as SqlClient from "effect/sql/SqlClient"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"

const url = "https://hooks.example.com:8443/secret-path?token=hunter2"
const events = ["creator.approved", "partner.approved"]

const ask = (method: string, path: string, key: string, body?: unknown) =>
  Effect.gen(function* () {
    const call = { method, key, ...(body === undefined ? {} : { body }) }
    const response = yield* (yield* TestApi).call(`/partner/v1/webhooks${path}`, call)
    return {
      status: response.status,
      text: JSON.stringify(yield* readJson(response.clone())),
      ...(yield* readJson(response))
    }
  })

/** Removes the characters that prevent mail clients from making links. */
const removeZeroWidthSpaces = (text: string) => text.replaceAll("\u200b", "")

const mailsOf = (owner: Organization, count: number) =>
  Effect.flatMap(Mailbox, (mailbox) =>
    eventually(
      `${count} mails`,
      Effect.map(mailbox.to(owner.contactEmail ?? ""), (sent) => (sent.length === count ? sent : undefined))
    )
  )

it.effect("the contact's mail about a new webhook or a new address contains only the host and the event types", () =>
  Effect.gen(function* () {
    const owner = yield* Seed.createOrganization()
    const key = yield* Seed.issueApiKey(owner)
    const { data } = yield* ask("POST", "", key.text, { url, events })
    const [added] = yield* mailsOf(owner, 1)
    yield* ask("PATCH", `/${data.id}`, key.text, { events: ["creator.approved"], status: "paused" })
    yield* ask("PATCH", `/${data.id}`, key.text, { url: "https://evil.example/in" })
    yield* TestClock.adjust("5 minutes")
    const [, moved] = yield* mailsOf(owner, 2)
    if (added === undefined || moved === undefined) return assert.fail("no mail")
    assert.strictEqual(
      removeZeroWidthSpaces(added.subject),
      "A webhook was added: Courtside’s events go to hooks.example.com:8443"
    )
    assert.strictEqual(
      removeZeroWidthSpaces(moved.subject),
      "A webhook was changed: Courtside’s events go to evil.example"
    )
    for (const part of [
      "hooks.example.com:8443",
      "creator.approved, partner.approved",
      data.id,
      key.text.slice(0, 16)
    ]) {
      assert.include(removeZeroWidthSpaces(added.text), part)
      assert.include(removeZeroWidthSpaces(added.html), part)
    }
    assert.include(
      removeZeroWidthSpaces(moved.text),
      "Sent to before: hooks.example.com:8443\nSent to now: evil.example"
    )
    assert.include(added.text, "revoke the key at once")
    for (const mail of [added, moved]) {
      const whole = removeZeroWidthSpaces(mail.subject + mail.text + mail.html)
      for (const secret of ["secret-path", "hunter2", "whsec_", key.text, "https:"]) assert.notInclude(whole, secret)
      assert.notMatch(mail.text + mail.html, /<a |example\.com|evil\.example/)
    }
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the contact is also notified of a webhook that is removed before the mail is sent", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const owner = yield* Seed.createOrganization()
    const { text: key } = yield* Seed.issueApiKey(owner)
    yield* (yield* Mailbox).refuseNext({ permanent: false })
    const { data } = yield* ask("POST", "", key, { url, events })
    yield* ask("DELETE", `/${data.id}`, key)
    yield* eventually(
      "a refused mail",
      Effect.map(sql`SELECT id FROM mails WHERE reason IS NOT NULL`, (rows) => rows.length === 1)
    )
    yield* TestClock.adjust("1 minute")
    const [told] = yield* mailsOf(owner, 1)
    assert.include(removeZeroWidthSpaces(told?.text ?? ""), "Sent to: hooks.example.com:8443")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect(
  "a registration sends no mail if there is no contact, if the webhook is in the test environment, or if it is refused",
  () =>
    Effect.gen(function* () {
      const silent = yield* Seed.createOrganization({ contactEmail: null })
      const told = yield* Seed.createOrganization()
      yield* ask("POST", "", (yield* Seed.issueApiKey(silent)).text, { url, events })
      yield* ask("POST", "", (yield* Seed.issueApiKey(told, { environment: "test" })).text, { url, events })
      const live = yield* Seed.issueApiKey(told)
      yield* ask("POST", "", live.text, { url: "http://example.com/", events })
      yield* ask("POST", "", live.text, { url, events })
      yield* mailsOf(told, 1)
      assert.strictEqual((yield* (yield* Mailbox).all).length, 1)
    }).pipe(Effect.provide(InMemory.layer))
)

it.effect("the audit log has one entry with the API key for each change of a webhook that has an effect", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const owner = yield* Seed.createOrganization()
    const key = yield* Seed.issueApiKey(owner)
    const { data } = yield* ask("POST", "", key.text, { url, events })
    yield* ask("PATCH", `/${data.id}`, key.text, {})
    yield* ask("PATCH", `/${data.id}`, key.text, { status: "paused", events: ["commentary.failed"] })
    yield* ask("DELETE", `/${data.id}`, key.text)
    yield* ask("DELETE", `/${data.id}`, key.text)
    const rows = yield* sql<Record<string, string>>`SELECT * FROM audit_log WHERE subject = ${data.id} ORDER BY number`
    const host = "hooks.example.com:8443"
    assert.deepStrictEqual(
      rows.map((row) => [row["action"], row["organization_id"], JSON.parse(row["details"] ?? "")]),
      [
        ["webhook.created", owner.id, { by: key.id, host, events }],
        [
          "webhook.updated",
          owner.id,
          { by: key.id, changed: ["events", "status"], host, events: ["commentary.failed"], status: "paused" }
        ],
        ["webhook.deleted", owner.id, { by: key.id }]
      ]
    )
  }).pipe(Effect.provide(InMemory.layer))
)

/**
 * Reads everything that the service has stored. On SQLite, the function reads all files of the database. On Postgres,
 * the function reads all rows of all tables, because a test cannot read the server's files.
 */
const everythingKept = (folder: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return yield* sql.onDialectOrElse({
      pg: () =>
        Effect.flatMap(
          sql<{ readonly place: string }>`SELECT quote_ident(tablename) AS place FROM pg_tables
            WHERE schemaname = current_schema()`,
          (tables) =>
            Effect.forEach(tables, ({ place }) =>
              Effect.map(
                sql.unsafe<{ readonly row: string }>(`SELECT kept::text AS row FROM ${place} AS kept`),
                (rows) => rows.map(({ row }) => row).join("\n")
              )
            )
        ),
      orElse: () => Effect.sync(() => readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1")))
    })
  })

it.effect(
  "a webhook's secret appears only in the response to its registration, and in no later response, stored data or log",
  () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "partner-commentary-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const logged: Array<string> = []
      const given = "a secret of the partner's own, in plain text"
      yield* Effect.gen(function* () {
        const owner = yield* Seed.createOrganization()
        const { text: key } = yield* Seed.issueApiKey(owner)
        const first = yield* ask("POST", "", key, { url, events })
        const second = yield* ask("POST", "", key, { url, events, secret: given })
        const secrets = [first.data.secret, given]
        yield* TestClock.adjust("5 minutes")
        yield* mailsOf(owner, 2)
        const later = [
          yield* ask("GET", "", key),
          yield* ask("GET", `/${first.data.id}`, key),
          yield* ask("PATCH", `/${second.data.id}`, key, { status: "paused" }),
          yield* ask("PATCH", `/${second.data.id}`, key, { secret: given })
        ].map(({ text }) => text)
        const files = yield* everythingKept(folder)
        assert.isAtLeast(files.length, 1)
        assert.isTrue(files.some((content) => content.includes(first.data.id)))
        yield* Effect.logInfo("What is logged is looked at too")
        for (const text of [...later, ...files, ...logged]) {
          for (const secret of secrets) assert.isFalse(text.includes(secret))
        }
        assert.notInclude(later[0], 'secret":')
        for (const [index, { data }] of [first, second].entries()) {
          const id = WebhookId.make(data.id)
          const { encryptedSecret } = Option.getOrThrow(yield* (yield* WebhookStore).secrets(id))
          const opened = yield* (yield* Encryption).decrypt(makeSecretEncryptionPurpose(id), encryptedSecret)
          assert.deepStrictEqual(opened, Option.some(secrets[index]))
        }
      }).pipe(
        Effect.provide(InMemory.layerWith({ filename: join(folder, "service.db") })),
        Effect.provide(Logger.layer([Logger.map(Logger.formatJson, (line) => void logged.push(line))])),
        Effect.provideService(References.MinimumLogLevel, "All")
      )
      assert.isAtLeast(logged.length, 1)
    })
)
