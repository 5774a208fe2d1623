import { describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { assert } from "vitest"
import {
  composeInboxNotice,
  composeNotice,
  composeUndeliverableNotice,
  composeUndeliverableSummary,
  formatUtcDateTime
} from "../../src/mail/CreatorNotices.ts"
import type { RenderedNotice } from "../../src/mail/NoticeText.ts"
import type * as Ids from "../../src/shared/Ids.ts"
import { defaults } from "../../src/shared/Policy.ts"
import type { Assignment } from "../../src/topic/Assignment.ts"
import type { CreatorNoticeKind } from "../../src/topic/Workflow.ts"
import { makeNewAssignment, noonInMillis } from "../topic/SampleAssignments.ts"

const id = "0198a000-0000-7000-8000-000000000001"
const hour = 3_600_000
const link = "https://partners.example/creator/abc.def"

const assignment: Assignment = {
  ...makeNewAssignment(defaults),
  creator: { email: "private@creator.example", name: "Sam" },
  notifiedAt: noonInMillis,
  respondBy: noonInMillis + 48 * hour,
  dueAt: null
}

const drafted: Assignment = {
  ...assignment,
  status: "commentary_generated",
  draft: { id: id as typeof Ids.DraftId.Type, number: 2, content: "A draft.", createdAt: noonInMillis },
  approveBy: noonInMillis + 7 * 24 * hour
}

const topic = { content: "Was the late red card fair?", organizationName: "Acme Sports" }

const kinds: ReadonlyArray<CreatorNoticeKind> = [
  "request",
  "reminder",
  "draft",
  "approval_reminder",
  "approval_last_call",
  "stalled",
  "cancelled"
]
const presentFor = (kind: CreatorNoticeKind) => (kind === "request" || kind === "reminder" ? assignment : drafted)

/** Returns one mail of every kind about a topic with these texts. */
const allOf = (words: {
  content: string
  organizationName: string
  personaName: string
}): ReadonlyArray<RenderedNotice> => [
  ...kinds.map((kind) => {
    const present = presentFor(kind)
    return composeNotice({
      kind,
      assignment: { ...present, persona: { ...present.persona, name: words.personaName } },
      topic: words,
      link
    })
  }),
  composeUndeliverableNotice({ personaName: words.personaName, topic: words, answered: false }),
  composeUndeliverableNotice({ personaName: words.personaName, topic: words, answered: true }),
  composeUndeliverableSummary({
    requests: [1, 2].map(() => ({ personaName: words.personaName, topic: words })),
    total: 3
  })
]

const without = (text: string, ...parts: ReadonlyArray<string>) =>
  parts.reduce((rest, part) => rest.replaceAll(part, ""), text)

/** Matches texts that mail clients turn into links. */
const autoLinked = /[a-z][a-z0-9+.-]*:\/\/|\bwww\.|[\p{L}\d-]\.\p{L}{2,}|\S@\p{L}|(mailto|tel|javascript|data):\S/iu

const nasty = fc.constantFrom(
  "<",
  ">",
  '"',
  "'",
  "&",
  "\r\n",
  "\n",
  "\0",
  "\u202e",
  "\u2066",
  "\u2028",
  "\ud800",
  "<img src=x onerror=alert(1)>",
  "</blockquote>",
  "https://evil.example/a?b=c",
  "www.evil.example",
  "pay@evil.example",
  "evil。example",
  "https:\\\\evil.example",
  " ",
  "plain words"
)
const words = fc
  .array(fc.oneof(nasty, fc.string({ unit: "grapheme" })), { minLength: 1, maxLength: 20 })
  .map((parts) => parts.join(""))
const outside = fc.record({ content: words, organizationName: words, personaName: words })

it("only a mail about an open request warns that anyone with the mail can answer the request", () => {
  for (const kind of kinds) {
    const { text } = composeNotice({ kind, assignment: presentFor(kind), topic, link })
    assert.strictEqual(text.includes("can answer in your place"), kind !== "cancelled", kind)
    assert.include(text, "please do not forward it")
  }
})

describe("every mail", () => {
  it("the subject of every mail is one line of at most 120 characters", () =>
    fc.assert(
      fc.property(outside, (said) => {
        for (const { subject } of allOf(said)) {
          assert.isAtMost(Array.from(subject).length, 120)
          assert.notMatch(subject, /[\p{Cc}\u2028\u2029]/u)
        }
      })
    ))

  it("the subject of every mail shortens long names and topics to their beginnings", () => {
    const long = { content: "c".repeat(200), organizationName: "o".repeat(200), personaName: "p".repeat(200) }
    const subjects = allOf(long).map(({ subject }) =>
      subject.replace(/([cop])\1+/g, (text, letter) => `${letter}×${text.length}`)
    )
    assert.deepStrictEqual(subjects, [
      "o×29… asks p×24…: “c×49…”",
      "Reminder: o×24… asks p×19…: “c×49…”",
      "A draft for p×39… is ready: “c×49…”",
      "The draft for p×29… still waits for you: “c×49…”",
      "Last call: the draft for p×29…: “c×49…”",
      "The draft for p×29… could not be written: “c×49…”",
      "o×29… no longer needs p×24…’s view: “c×37…",
      "Your request did not reach p×59…",
      "A mail about your request did not reach p×59…",
      "Mails about 3 of your requests did not arrive"
    ])
  })

  it("every mail escapes all external text", () =>
    fc.assert(
      fc.property(outside, (said) => {
        const plain = allOf({ content: "x", organizationName: "x", personaName: "x" })
        const tags = (html: string) => html.match(/<[^>]*>/g)?.filter((tag) => tag !== "<br>")
        for (const [at, { html }] of allOf(said).entries()) assert.deepStrictEqual(tags(html), tags(plain[at]!.html))
      })
    ))

  it("the only clickable address in a mail is the mail's own link", () =>
    fc.assert(
      fc.property(outside, (said) => {
        for (const { html, subject, text } of allOf(said)) {
          assert.notMatch(subject, autoLinked)
          assert.notMatch(without(text, link), autoLinked)
          const body = html.slice(html.indexOf("</head>")).replace(/<[^>]*>/g, " ")
          assert.notMatch(without(body, link), autoLinked)
        }
      })
    ))

  it("every mail removes direction overrides and lone surrogates", () =>
    fc.assert(
      fc.property(outside, (said) => {
        for (const mail of allOf(said)) {
          for (const part of Object.values(mail)) {
            assert.notMatch(part, /[\u202a-\u202e\u2066-\u2069]/)
            assert.isTrue(part.isWellFormed())
          }
        }
      })
    ))

  it("a mail marks every line of a quoted topic as a quotation", () => {
    const { text } = composeNotice({
      kind: "request",
      assignment,
      topic: { ...topic, content: "One.\r\n\r\nAnswer by: never" },
      link
    })
    assert.include(text, "> One.\n> \n> Answer by: never\n")
  })

  it("every mail about a request asks in its text and in its HTML not to forward the mail", () => {
    for (const kind of kinds) {
      const mail = composeNotice({ kind, assignment: presentFor(kind), topic, link })
      assert.include(mail.text, "do not forward")
      assert.include(mail.html, "do not forward")
    }
  })
})

describe("a request mail", () => {
  it("a request mail states the organization, the topic, the persona, the deadline and the consequence of no answer", () => {
    const { subject, text } = composeNotice({ kind: "request", assignment, topic, link })
    assert.strictEqual(subject, "Acme Sports asks Jordan Vale: “Was the late red card fair?”")
    for (const part of [
      "Acme Sports writes:",
      "> Was the late red card fair?",
      "For: Jordan Vale",
      "Answer by: Saturday 16 May 2026, 12:00 UTC",
      "If you do nothing",
      link
    ]) {
      assert.include(text, part)
    }
  })

  it("a request mail states the exact deadline if the response window starts when the mail is sent", () => {
    const waiting = { ...assignment, notifiedAt: null, respondBy: noonInMillis + 72 * hour }
    const told = composeNotice({
      kind: "request",
      assignment: waiting,
      topic,
      link,
      respondBy: noonInMillis + 48 * hour
    })
    assert.include(told.text, "Answer by: Saturday 16 May 2026, 12:00 UTC")
    const untold = composeNotice({ kind: "request", assignment: waiting, topic, link })
    assert.include(untold.text, "Answer at the latest by: Sunday 17 May 2026, 12:00 UTC")
  })
})

describe("a mail about a failed draft", () => {
  it("a mail about a failed first draft states the time until which the creator can restart generation", () => {
    const stuck = {
      ...assignment,
      status: "opinion_injected" as const,
      generation: { ...assignment.generation, giveUpAt: noonInMillis + 24 * hour }
    }
    assert.include(
      composeNotice({ kind: "stalled", assignment: stuck, topic, link }).text,
      "Start again by: Friday 15 May 2026, 12:00 UTC"
    )
  })

  it("a mail about a failed revision offers the current draft for approval", () => {
    const { text } = composeNotice({ kind: "stalled", assignment: drafted, topic, link })
    assert.include(text, "Draft 2 stays")
    assert.include(text, "Approve by: Thursday 21 May 2026, 12:00 UTC")
  })
})

describe("mails to the partner's contact, and inbox mails", () => {
  it("a mail to the partner's contact about an undelivered request does not contain the creator's address", () => {
    const mail = composeUndeliverableNotice({ personaName: "Jordan Vale", topic, answered: false })
    assert.notInclude(JSON.stringify(mail), assignment.creator.email)
    assert.include(mail.text, "Jordan Vale")
  })

  it("a mail to the partner's contact about many undelivered requests lists the first requests and the total number", () => {
    const requests = Array.from({ length: 10 }, (_, index) => ({
      personaName: `Jordan Vale ${index}`,
      topic: { ...topic, content: `Who is number ${index}?` }
    }))
    const { subject, text } = composeUndeliverableSummary({ requests, total: 37 })
    assert.include(subject, "37 of your requests")
    for (let index = 0; index < 10; index++) assert.include(text, `For Jordan Vale ${index}: “Who is number ${index}?”`)
    assert.include(text, "Further requests: 27")
    assert.notInclude(composeUndeliverableSummary({ requests, total: 10 }).text, "Further")
  })

  it("a mail to the partner's contact announces no expiry when the creator has already answered the request", () => {
    const { subject, text } = composeUndeliverableNotice({ personaName: "Jordan Vale", topic, answered: true })
    assert.include(text, "has answered")
    assert.notMatch(`${subject} ${text}`, /expires|Your request did not reach/)
  })

  it("a mail with an inbox link states that the link works for 15 minutes", () => {
    const mail = composeInboxNotice({ link })
    assert.include(mail.text, "15 minutes")
    assert.include(mail.text, link)
  })
})

it("the formatted date of a deadline is rounded down to the minute", () => {
  assert.strictEqual(formatUtcDateTime(noonInMillis + hour - 1), "Thursday 14 May 2026, 12:59 UTC")
})
