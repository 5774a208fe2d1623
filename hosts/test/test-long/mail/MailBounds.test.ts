/** Tests the limit of each kind of mail: repeats the action that causes the mail, and counts the mails. */
import { assert, it } from "@effect/vitest"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { TestService } from "@partner-commentary/test/TestService"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as SqlClient from "effect/sql/SqlClient"
import { finishTime, mailCauses, startTime } from "./MailCauses.ts"

/** Returns the kind and state of all sent and failed mails. A mail with several notices has the first notice's kind. */
const attempted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* finishTime
  return yield* sql<{ kind: string; state: string }>`
    SELECT kind, state FROM mails WHERE state IN ('sent', 'failed')`
})

for (const [kind, { cause, drive, limit, per }] of Object.entries(mailCauses)) {
  it.live(`${cause}: at most ${limit} "${kind}" mails for each ${per}`, () =>
    Effect.gen(function* () {
      yield* drive
      const all = yield* attempted
      const alike = kind.startsWith("webhook_") ? /^webhook_/ : new RegExp(`^${kind}$`)
      assert.isAtMost(all.filter((mail) => alike.test(mail.kind)).length, limit)
      assert.isNotEmpty(
        all.filter((mail) => mail.kind === kind),
        "the cause brings this kind of mail"
      )
      const sent = all.filter(({ state }) => state === "sent")
      assert.lengthOf(yield* (yield* Mailbox).all, sent.length, "every mail leaves by the queue")
    }).pipe(Effect.provide(Layer.merge(TestService.layer({ start: startTime }), Logger.layer([]))))
  )
}
