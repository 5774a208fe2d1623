/** Tests the delays between attempts to send a mail. */
import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { type Mail, nextMailRetryAt, nextUnansweredMailRetryAt } from "../../src/mail/Mail.ts"
import { noonInMillis } from "../topic/SampleAssignments.ts"

const hours = (count: number) => Duration.toMillis(Duration.hours(count))
const day = Duration.hours(24)

const mail = (changes: Partial<Mail> = {}): Mail => ({
  id: "a.request",
  kind: "request",
  shareId: null,
  organizationId: null,
  address: null,
  createdAt: noonInMillis,
  attempts: 1,
  ticket: 1,
  unanswered: 0,
  maybeSentAt: null,
  ...changes
})

describe("a mail with a temporary failure", () => {
  it("a mail with a temporary failure is retried for 24 hours: after 1, 5 and 15 minutes, 1 hour, then every 2 hours", () => {
    const delays: Array<number> = []
    let now = noonInMillis
    for (let attempts = 1; ; attempts++) {
      const next = nextMailRetryAt(mail({ attempts }), now, day)
      if (next === null) break
      delays.push((next - now) / 60_000)
      now = next
    }
    assert.deepStrictEqual(delays, [1, 5, 15, 60, ...Array.from({ length: 11 }, () => 120)])
  })

  it("a mail with a temporary failure is retried for a full 24 hours, even if no worker ran for days", () => {
    const now = noonInMillis + hours(96)
    assert.strictEqual(nextMailRetryAt(mail(), now, day), now + 60_000)
    assert.isNull(nextMailRetryAt(mail({ attempts: 16 }), now, day))
  })
})

describe("a complete mail that the mail server has not answered", () => {
  it("a complete mail that the mail server has not answered is retried only once, after an hour", () => {
    assert.strictEqual(nextUnansweredMailRetryAt(mail(), noonInMillis + hours(30)), noonInMillis + hours(31))
    assert.isNull(nextUnansweredMailRetryAt(mail({ unanswered: 1 }), noonInMillis + hours(1)))
  })

  it("a complete mail whose answer a stop of the process cut short is always retried after an hour", () => {
    const [present, now] = [mail({ unanswered: 1 }), noonInMillis + hours(30)]
    assert.strictEqual(nextUnansweredMailRetryAt(present, now, { stopped: true }), now + hours(1))
  })
})
