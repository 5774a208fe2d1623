/**
 * Runs a partner's complete integration with the official client. Each operation succeeds once, and each refusal that a
 * valid request can get occurs once.
 */
import { assert } from "@effect/vitest"
import { ApiError, PartnerCommentary, PartnerCommentaryDashboard } from "@partner-commentary/client"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import { manuallyAdvancedPersonaId } from "../../test/support/authorization/OwnedResources.ts"
import { actAsCreator, findCreatorToken } from "../../test/support/Requests.ts"
import type { PrismCheckedFetch } from "./PrismCheckedFetch.ts"

const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"
const content = "Will the Lakers make the play-offs?"
const perspective = "They will, but only just. The defence has finally woken up."

const run = <A>(call: () => PromiseLike<A>) => Effect.promise(async () => call())

const refused = (code: string, call: () => PromiseLike<unknown>) =>
  run(async () => {
    const error = await Promise.resolve(call()).then(
      () => "it succeeded",
      (error: unknown) => error
    )
    if (!(error instanceof ApiError)) throw new Error(`not refused with ${code}: ${error}`)
    assert.strictEqual(error.code, code)
  })

export const runPartnerIntegration = Effect.fnUntraced(function* (baseUrl: string, { fetch }: PrismCheckedFetch) {
  const owner = yield* Seed.createOrganization()
  const ada = yield* Seed.createPersona(owner, { name: "Ada Vance" })
  const bo = yield* Seed.createPersona(owner, { name: "Bo Lindqvist" })
  const cy = yield* Seed.createPersona(owner, { name: "Cy Otis", bio: "", expertise: [], socialLinks: {} })
  const stranger = yield* Seed.createPersona(null)
  const options = { baseUrl, fetch, maxRetries: 0 }
  const client = new PartnerCommentary({ ...options, apiKey: (yield* Seed.issueApiKey(owner)).text })
  const { events, metrics, personas, topics, usage, webhooks } = client

  yield* run(() => personas.list())
  for (const { id } of [ada, cy]) yield* run(() => personas.get(id))
  yield* refused("not_licensed", () => personas.get(stranger.id))
  yield* refused("not_found", () => personas.get(unknown))

  const topic = { content, persona_ids: [ada.id, bo.id, cy.id, unknown], external_reference: "a:b.c-d_e" }
  const metadata = { desk: "basketball", deep: [1, { null: null, true: true }], "": "" }
  const sent = { ...topic, output_types: ["text", "audio"] as const, metadata }
  const { topic_id } = yield* run(() => topics.create(sent, { idempotencyKey: "the-first" }))
  const again = yield* run(() => topics.create(sent, { idempotencyKey: "the-first" }))
  assert.strictEqual(again.topic_id, topic_id)
  yield* refused("invalid_request", () => topics.create(topic, { idempotencyKey: "the-first" }))
  yield* refused("no_valid_personas", () => topics.create(topic))
  yield* run(() => topics.createMany([{ content: "Who wins the cup?", persona_ids: [ada.id] }, topic]))
  const page = yield* run(() => topics.list({ limit: 1, status: "pending" }))
  yield* run(() => topics.list({ limit: 1, cursor: page.pagination.next_cursor ?? "" }))
  yield* refused("invalid_request", () => topics.list({ cursor: "nobody's" }))
  yield* run(() => topics.status(topic_id))
  yield* run(() => topics.get(topic_id))
  yield* run(() => topics.commentaries(topic_id))

  yield* actAsCreator(yield* findCreatorToken(bo, content), "decline", { reason: "Not my sport." })
  const link = yield* findCreatorToken(ada, content)
  yield* actAsCreator(link, "respond", { perspective })
  yield* run(async () => {
    for (;;) {
      const { summary } = await topics.status(topic_id)
      if (summary.commentary_generated === 1) return
    }
  })
  yield* actAsCreator(link, "approve")
  yield* actAsCreator(yield* findCreatorToken(cy, content), "decline")
  const { commentaries } = yield* run(() => topics.waitFor(topic_id, { intervalMs: 20 }))
  const commentary = commentaries[0]?.commentary?.id ?? assert.fail("nothing came of it")
  yield* run(() => topics.byReference("a:b.c-d_e"))
  yield* run(() => topics.cancel(topic_id))
  const listener = yield* run(() => webhooks.create({ url: "https://example.com/hook", events: ["partner.approved"] }))
  for (const _ of [1, 2]) yield* run(() => topics.approveCommentary(topic_id, commentary))
  const delivered = yield* run(async () => {
    for (;;) {
      const [delivery] = (await webhooks.deliveries(listener.id, { limit: 1, status: "delivered" })).data
      if (delivery !== undefined) return delivery
    }
  })
  yield* run(() => webhooks.delivery(listener.id, delivered.id))
  yield* run(() => webhooks.retry(listener.id, delivered.id))
  yield* run(() => topics.commentaries(topic_id))
  yield* run(() => topics.list({ status: "completed" }))
  yield* refused("not_found", () => topics.get(unknown))
  yield* refused("not_found", () => topics.status(unknown))
  yield* refused("not_found", () => topics.commentaries(unknown))
  yield* refused("not_found", () => topics.cancel(unknown))
  yield* refused("not_found", () => webhooks.rotateSecret(unknown))
  yield* refused("not_found", () => topics.byReference("nobodys"))
  yield* refused("not_found", () => topics.approveCommentary(topic_id, unknown))
  yield* refused("not_found", () => topics.approveCommentary(unknown, commentary))
  yield* run(() => usage.get())
  yield* run(() => client.me())
  yield* run(() => metrics.performance())
  yield* refused("invalid_request", () => metrics.performance({ from: "2020-01-01T00:00:00Z" }))

  const registered = { url: "https://example.com/hook?a=b", events: ["creator.approved", "partner.approved"] } as const
  const told = yield* run(() => events.list({ limit: 1, since: "2026-01-01T00:00:00Z", type: "commentary.failed" }))
  yield* run(() => events.list({ cursor: told.data[0]?.id }))
  const hook = yield* run(() => webhooks.create(registered))
  yield* run(() => webhooks.create({ ...registered, secret: "x".repeat(32) }))
  yield* run(() => webhooks.list())
  yield* run(() => webhooks.get(hook.id))
  yield* run(() => webhooks.update(hook.id, { status: "paused", events: ["commentary.failed"] }))
  yield* run(() => webhooks.rotateSecret(hook.id, { grace_period_seconds: 60 }))
  assert.isTrue((yield* run(() => webhooks.test(hook.id))).success)
  const since = new Date(Date.parse(hook.created_at)).toISOString()
  yield* run(() => webhooks.deliveries(hook.id, { limit: 1, status: "failed" }))
  yield* run(() => webhooks.recover(hook.id, { since, dry_run: true }))
  yield* run(() => webhooks.recover(hook.id, { since }))
  yield* refused("not_found", () => webhooks.delivery(hook.id, hook.id))
  yield* refused("not_found", () => webhooks.retry(hook.id, hook.id))
  yield* run(() => webhooks.delete(hook.id))
  yield* refused("not_found", () => webhooks.get(hook.id))
  yield* refused("not_found", () => webhooks.update(hook.id, {}))
  yield* refused("not_found", () => webhooks.delete(hook.id))
  yield* refused("not_found", () => webhooks.test(hook.id))
  yield* refused("not_found", () => webhooks.deliveries(hook.id))
  yield* refused("not_found", () => webhooks.recover(hook.id, { since }))

  const { apiKeys } = new PartnerCommentaryDashboard({ ...options, token: yield* Seed.issueDashboardToken(owner) })
  const made = yield* run(() => apiKeys.create({ name: "Backend", scopes: ["usage:read"] }))
  const until = "2099-01-01T00:00:00Z"
  const bound = { ip_whitelist: ["203.0.113.0/24", "2001:db8::1"], environment: "test", expires_at: until } as const
  yield* run(() => apiKeys.create({ name: "Bound", scopes: ["topics:read", "topics:submit"], ...bound }))
  const { id } = yield* run(() => apiKeys.rotate(made.id, { grace_period_seconds: 60 }))
  yield* refused("invalid_request", () => apiKeys.rotate(made.id))
  yield* run(() => apiKeys.rotate(id))
  yield* run(() => apiKeys.list())
  yield* run(() => apiKeys.update(made.id, { name: "Editorial backend" }))
  yield* run(() => apiKeys.get(made.id))
  yield* run(() => apiKeys.revoke(made.id))
  yield* refused("not_found", () => apiKeys.get(unknown))
  yield* refused("not_found", () => apiKeys.revoke(unknown))
  yield* refused("not_found", () => apiKeys.update(unknown, {}))
  yield* refused("not_found", () => apiKeys.rotate(unknown))

  const test = new PartnerCommentary({
    ...options,
    apiKey: (yield* Seed.issueApiKey(owner, { environment: "test" })).text
  })
  yield* run(() => test.personas.list())
  const simulated = yield* run(() =>
    test.topics.create({ content: "Who wins the derby?", persona_ids: [manuallyAdvancedPersonaId] })
  )
  const share = simulated.results[0]?.share_id ?? assert.fail("what was sent has no share_id")
  yield* run(() => test.test.advance(share, { action: "respond" }))
  yield* refused("invalid_request", () => test.test.advance(share, { action: "decline" }))
  yield* run(() => test.test.advance(share))
  yield* run(() => test.topics.get(simulated.topic_id))
  yield* run(() => test.test.advance(share))
  yield* refused("invalid_request", () => test.test.advance(share))
  yield* refused("not_found", () => test.test.advance(unknown))
  yield* run(() => test.metrics.performance())

  const poor = yield* Seed.createOrganization({ limits: { topics_per_month: 0 } })
  yield* Seed.licensePersona(poor, ada)
  const spent = new PartnerCommentary({ ...options, apiKey: (yield* Seed.issueApiKey(poor)).text })
  yield* refused("rate_limit_exceeded", () => spent.topics.create({ content, persona_ids: [ada.id] }))
})
