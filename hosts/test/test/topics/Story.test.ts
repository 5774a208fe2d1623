/**
 * Tests a complete scenario with real HTTP, real SMTP, the real pages and a database file. The test checks every view
 * at every stage.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import * as LocalGenerator from "@partner-commentary/generator/LocalGenerator"
import * as SmtpMailer from "@partner-commentary/smtp/SmtpMailer"
import * as Application from "@partner-commentary/test/Application"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { eventually } from "../support/Eventually.ts"
import { readJson } from "../support/Json.ts"
import { waitUntilMailsProcessed } from "../support/MailProcessing.ts"
import { startSmtpServer } from "../support/SmtpServer.ts"

const content = "Will the Lakers make the play-offs?"
const perspective = "They will, but only just. The defence has finally woken up. Nobody wants to meet them in April."
const edited = "They will, but only just: the defence has woken up."
const unlicensed = "00000000-0000-4000-8000-000000000000"
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "story-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

it.effect(
  "a topic goes to three creators: one approves with an edit, one declines, and one never answers",
  () =>
    Effect.gen(function* () {
      const post = yield* startSmtpServer
      const folder = yield* temporaryFolder
      const mailer = SmtpMailer.layer({
        url: Redacted.make(post.url),
        from: "Partner Commentary <desk@commentary.example>"
      })
      const app = TestApi.layerHttp.pipe(
        Layer.provideMerge(TestApi.workers),
        Layer.provideMerge(
          Application.layer({
            filename: join(folder, "story.db"),
            outside: Layer.merge(mailer, LocalGenerator.layer)
          })
        )
      )
      yield* Effect.provide(story(post), app)
    }),
  30_000
)

const story = (post: Effect.Success<typeof startSmtpServer>) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-02-01T12:00:00.000Z"))
    const { call } = yield* TestApi
    const owner = yield* Seed.createOrganization({ name: "Courtside App" })
    const ada = yield* Seed.createPersona(owner, { name: "Ada Vance" })
    const bo = yield* Seed.createPersona(owner, { name: "Bo Lindqvist", imageUrl: "" })
    const cy = yield* Seed.createPersona(owner, { name: "Cy Okafor" })
    const { text: key } = yield* Seed.issueApiKey(owner)

    const get = (path: string) =>
      Effect.gen(function* () {
        const response = yield* call(`/partner/v1${path}`, { key })
        assert.strictEqual(response.status, 200, path)
        assert.match(response.headers.get("x-request-id") ?? "", /./)
        assert.strictEqual(response.headers.get("content-type"), "application/json")
        return yield* readJson(response)
      })
    const form = (token: string, action: string, fields: Record<string, string>) =>
      call(`/creator/${token}/${action}`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields).toString()
      })
    /**
     * Waits until the mail is stored as sent, because the worker would send the mail again if the clock moved earlier.
     */
    const mailTo = (address: string, count: number) =>
      Effect.tap(
        eventually(
          `mail ${count} to ${address}; there are ${JSON.stringify(post.all().map((mail) => [mail.subject, mail.to]))}`,
          Effect.sync(() => post.to(address)[count - 1])
        ),
        waitUntilMailsProcessed
      )
    const tokenFor = (mail: { readonly text?: string | undefined }) =>
      /\/creator\/([\w-]+\.[\w-]+)/.exec(mail.text ?? "")?.[1] ?? assert.fail("the mail has no link")
    const withStatus = (id: string, personaId: string, status: string) =>
      eventually(
        `${personaId} is ${status}`,
        Effect.map(get(`/topics/${id}/status`), ({ data }) =>
          data.personas.find((entry: { persona_id: string }) => entry.persona_id === personaId).status === status
            ? data
            : undefined
        )
      )

    // Submission
    const created = yield* call("/partner/v1/topics", {
      method: "POST",
      key,
      body: {
        content: `  ${content} `,
        persona_ids: [ada.id, unlicensed, bo.id, cy.id],
        external_reference: "game:2026-02-01.LAL",
        metadata: { b: 1, a: { deep: ["x", null, true] } }
      }
    })
    assert.strictEqual(created.status, 201)
    const submitted = yield* readJson(created)
    const id = submitted.data.topic_id as string
    assert.match(id, uuid)
    assert.strictEqual(created.headers.get("location"), `/partner/v1/topics/${id}`)
    /** Returns the id of a persona's assignment in this topic. Every view shows the same id. */
    const shareOf = (persona: { readonly id: string }): string =>
      submitted.data.results.find((result: { persona_id: string }) => result.persona_id === persona.id).share_id
    for (const persona of [ada, bo, cy]) assert.match(shareOf(persona), uuid)
    assert.deepStrictEqual(submitted, {
      success: true,
      data: {
        topic_id: id,
        external_reference: "game:2026-02-01.LAL",
        content,
        metadata: { b: 1, a: { deep: ["x", null, true] } },
        output_types: ["text"],
        personas_sent: 3,
        results: [
          { persona_id: ada.id, status: "sent", share_id: shareOf(ada) },
          { persona_id: unlicensed, status: "not_licensed" },
          { persona_id: bo.id, status: "sent", share_id: shareOf(bo) },
          { persona_id: cy.id, status: "sent", share_id: shareOf(cy) }
        ],
        status: "pending",
        created_at: "2026-02-01T12:00:00.000Z"
      }
    })

    // Each creator gets one mail with the organization, the topic, the persona and the deadline.
    const mails = yield* Effect.forEach([ada, bo, cy], (persona) => mailTo(persona.creator.email, 1))
    const [toAda, toBo, toCy] = mails as [(typeof mails)[0], (typeof mails)[0], (typeof mails)[0]]
    for (const [mail, persona] of [
      [toAda, ada],
      [toBo, bo],
      [toCy, cy]
    ] as const) {
      assert.include(mail.text, "Courtside App")
      assert.include(mail.text, content)
      assert.include(mail.text, persona.name)
      assert.match(mail.text ?? "", /3 February 2026/)
      assert.include(mail.html, `/creator/${tokenFor(mail)}`)
      assert.strictEqual(mail.from?.address, "desk@commentary.example")
    }

    /** The expected deadlines: 48 hours after the request's mail, and 7 days after the draft. */
    const deadlines: Readonly<Record<string, string>> = {
      topic_sent: "2026-02-03T12:00:00.000Z",
      commentary_generated: "2026-02-08T13:00:00.000Z"
    }
    const person = (
      persona: { readonly id: string; readonly name: string },
      status: string,
      at: string,
      failure: unknown = null
    ) => ({
      share_id: shareOf(persona),
      persona_id: persona.id,
      persona_name: persona.name,
      status,
      status_updated_at: at,
      has_commentary: status === "creator_approved",
      failure,
      expires_at: deadlines[status] ?? null
    })
    const sentAt = "2026-02-01T12:00:00.000Z"
    const counts = {
      topic_sent: 0,
      opinion_injected: 0,
      commentary_generated: 0,
      creator_approved: 0,
      declined: 0,
      expired: 0
    }

    /** The fields that the partner sent, as every view of the topic shows them. */
    const sent = {
      topic_id: id,
      external_reference: "game:2026-02-01.LAL",
      content,
      metadata: { b: 1, a: { deep: ["x", null, true] } },
      output_types: ["text"]
    }
    assert.deepStrictEqual((yield* get(`/topics/${id}/status`)).data, {
      ...sent,
      overall_status: "pending",
      created_at: sentAt,
      personas: [person(ada, "topic_sent", sentAt), person(bo, "topic_sent", sentAt), person(cy, "topic_sent", sentAt)],
      summary: { total: 3, ...counts, topic_sent: 3 }
    })
    const nothing = { commentary: null, failure: null, status: "pending" }
    const face = (
      persona: { readonly id: string; readonly name: string; readonly imageUrl: string },
      image = persona.imageUrl
    ) => ({
      share_id: shareOf(persona),
      persona_id: persona.id,
      persona_name: persona.name,
      persona_image: image
    })
    const avatar = "http://test.invalid/avatar.svg"
    assert.deepStrictEqual((yield* get(`/topics/${id}`)).data, {
      ...sent,
      status: "pending",
      created_at: sentAt,
      commentaries: [
        { ...face(ada), ...nothing },
        { ...face(bo, avatar), ...nothing },
        { ...face(cy), ...nothing }
      ],
      summary: { total_personas: 3, completed: 0, pending: 3, failed: 0 }
    })
    assert.deepStrictEqual((yield* get(`/topics/${id}/commentaries`)).data, { ...sent, commentaries: [] })
    assert.deepStrictEqual(yield* get("/topics?status=pending"), {
      success: true,
      data: [{ ...sent, status: "pending", commentaries_ready: 0, total_personas: 3, created_at: sentAt }],
      pagination: { limit: 20, offset: 0, total: 1, next_cursor: null }
    })

    // Reading the page changes nothing, even when repeated.
    const tokenOfAda = tokenFor(toAda)
    for (const _ of [1, 2]) {
      const page = yield* call(`/creator/${tokenOfAda}`)
      assert.strictEqual(page.status, 200)
      const html = yield* Effect.promise(() => page.text())
      assert.include(html, content)
      assert.include(html, "<textarea")
      assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/)
      assert.strictEqual(page.headers.get("referrer-policy"), "no-referrer")
    }

    // Ada responds, and Bo declines.
    yield* TestClock.adjust("1 hour")
    assert.strictEqual((yield* form(tokenOfAda, "respond", { perspective })).status, 303)
    assert.strictEqual((yield* form(tokenFor(toBo), "decline", { reason: "On holiday" })).status, 303)
    const draftMail = yield* mailTo(ada.creator.email, 2)
    const at13 = "2026-02-01T13:00:00.000Z"
    const declined = { reason: "declined", at: at13 }
    assert.deepStrictEqual(yield* withStatus(id, ada.id, "commentary_generated"), {
      ...sent,
      overall_status: "in_progress",
      created_at: sentAt,
      personas: [
        person(ada, "commentary_generated", at13),
        person(bo, "declined", at13, declined),
        person(cy, "topic_sent", sentAt)
      ],
      summary: { total: 3, ...counts, commentary_generated: 1, declined: 1, topic_sent: 1 }
    })
    assert.strictEqual((yield* get("/topics?status=in_progress")).pagination.total, 1)
    assert.strictEqual((yield* get("/topics?status=pending")).pagination.total, 0)

    // Ada can read the draft in JSON and on the page. Partners cannot see the draft.
    const twin = yield* readJson(yield* call(`/creator/${tokenOfAda}`, { headers: { accept: "application/json" } }))
    assert.strictEqual(twin.data.status, "commentary_generated")
    assert.strictEqual(twin.data.perspective, perspective)
    assert.strictEqual(twin.data.topic.content, content)
    assert.match(twin.data.draft.content, /local generator/i)
    assert.strictEqual(twin.data.expires_at, "2026-02-08T13:00:00.000Z")
    assert.deepStrictEqual((yield* get(`/topics/${id}/commentaries`)).data.commentaries, [])
    assert.include(draftMail.text, "/creator/")

    // Ada approves an edited text
    yield* TestClock.adjust("1 hour")
    const approved = yield* form(tokenFor(draftMail), "approve", { draft_id: twin.data.draft.id, content: edited })
    assert.strictEqual(approved.status, 303)
    const at14 = "2026-02-01T14:00:00.000Z"
    const progress = (yield* get(`/topics/${id}/status`)).data
    assert.strictEqual(progress.overall_status, "partial")
    assert.deepStrictEqual(progress.personas[0], person(ada, "creator_approved", at14))
    assert.deepStrictEqual(progress.summary, { total: 3, ...counts, creator_approved: 1, declined: 1, topic_sent: 1 })

    const ready = (yield* get(`/topics/${id}/commentaries`)).data
    const commentaryId = ready.commentaries[0].commentary_id
    assert.match(commentaryId, uuid)
    assert.deepStrictEqual(ready, {
      ...sent,
      commentaries: [
        {
          commentary_id: commentaryId,
          persona: { id: ada.id, name: ada.name, image_url: ada.imageUrl },
          content: edited,
          audio_url: null,
          video_url: null,
          approved_at: at14,
          partner_approved_at: null
        }
      ]
    })

    // Cy gets a reminder after half of the response window and does not respond
    yield* TestClock.setTime(Date.parse("2026-02-02T12:00:01.000Z"))
    yield* mailTo(cy.creator.email, 2)
    yield* TestClock.setTime(Date.parse("2026-02-03T12:00:01.000Z"))
    const done = yield* withStatus(id, cy.id, "expired")
    assert.strictEqual(done.overall_status, "completed")
    assert.deepStrictEqual(done.summary, { total: 3, ...counts, creator_approved: 1, declined: 1, expired: 1 })
    const expiredAt = done.personas[2].status_updated_at
    assert.match(expiredAt, iso)
    assert.deepStrictEqual(done.personas[2], person(cy, "expired", expiredAt, { reason: "expired", at: expiredAt }))
    const late = yield* form(tokenFor(toCy), "respond", { perspective })
    assert.strictEqual(late.status, 400)

    // The partner fetches the result by the topic's id and by the partner's own reference
    const commentary = {
      id: commentaryId,
      content: edited,
      audio_url: null,
      video_url: null,
      approved_at: at14,
      partner_approved_at: null
    }
    const entries = [
      { ...face(ada), status: "completed", commentary, failure: null },
      { ...face(bo, avatar), status: "failed", commentary: null, failure: declined },
      { ...face(cy), status: "failed", commentary: null, failure: { reason: "expired", at: expiredAt } }
    ]
    const summary = { total_personas: 3, completed: 1, pending: 0, failed: 2 }
    const detail = (yield* get(`/topics/${id}`)).data
    assert.deepStrictEqual(detail.commentaries, entries)
    assert.deepStrictEqual(detail.summary, summary)
    assert.strictEqual(detail.status, "completed")
    const lookup = (yield* get("/topics/by-reference/game%3A2026-02-01.LAL")).data
    assert.deepStrictEqual(lookup, {
      ...sent,
      commentaries: entries.map((entry) => ({
        topic_id: id,
        topic_content: content,
        ...entry,
        created_at: sentAt
      })),
      summary,
      truncated: false
    })
    assert.deepStrictEqual((yield* get("/topics")).data, [
      { ...sent, status: "completed", commentaries_ready: 1, total_personas: 3, created_at: sentAt }
    ])

    // The service sent no unnecessary mail.
    assert.deepStrictEqual(
      [ada, bo, cy].map((persona) => post.to(persona.creator.email).length),
      [2, 1, 2]
    )
    const ids = post.all().map((mail) => mail.messageId)
    assert.strictEqual(new Set(ids).size, ids.length)
  })
