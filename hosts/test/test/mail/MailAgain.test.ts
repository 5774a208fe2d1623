/**
 * Tests mails about an assignment that its creator has answered. The tests check which mails are sent again, and what
 * the mail to the organization's contact says.
 */
import { assert, it } from "@effect/vitest"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import { ShareId } from "@partner-commentary/core/shared/Ids"
import { DueJobRunner } from "@partner-commentary/test/DueJobRunner"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import * as Seed from "@partner-commentary/test/Seed"
import { TestService } from "@partner-commentary/test/TestService"
import * as Effect from "effect/Effect"
import { actAsCreator, findCreatorToken, getJson, submitTopic } from "../support/Requests.ts"

const content = "Who takes the title this season?"
const start = Date.parse("2026-03-01T09:00:00.000Z")
const contactEmail = "newsdesk@courtside.example"

/** Submits a topic and responds as its creator. The draft is not written yet. */
const answered = Effect.gen(function* () {
  const work = yield* DueJobRunner
  const owner = yield* Seed.createOrganization({ contactEmail })
  const persona = yield* Seed.createPersona(owner)
  const { text: key } = yield* Seed.issueApiKey(owner)
  yield* submitTopic(key, content, [persona], { external_reference: "title" })
  yield* work.finish
  const { data } = yield* getJson(key, "/topics/by-reference/title")
  const token = yield* findCreatorToken(persona, content)
  yield* actAsCreator(token, "respond", { perspective: "The keeper decides it." })
  return ShareId.make(data.commentaries[0].share_id)
})

it.live(
  "resendMail is refused while a draft is being written, and resends the draft's mail when the draft is ready",
  () =>
    Effect.gen(function* () {
      const share = yield* answered
      const { resendMail } = yield* CreatorAdministration
      const refused = yield* Effect.flip(resendMail(share))
      assert.deepInclude(refused, { _tag: "ActionRefused", reason: "not_allowed" })
      yield* (yield* DueJobRunner).finish
      assert.strictEqual(yield* resendMail(share), "draft")
    }).pipe(Effect.provide(TestService.layer({ start })))
)

it.live("the alert about a refused draft mail says that the creator has answered", () =>
  Effect.gen(function* () {
    const work = yield* DueJobRunner
    const mailbox = yield* Mailbox
    yield* answered
    yield* mailbox.refuseNext({ permanent: true })
    yield* work.finish
    yield* work.advanceTo(start + 61 * 60_000)
    const [alert] = yield* mailbox.to(contactEmail)
    assert.match(alert?.subject ?? "", /^A mail about your request did not reach /)
  }).pipe(Effect.provide(TestService.layer({ start })))
)
