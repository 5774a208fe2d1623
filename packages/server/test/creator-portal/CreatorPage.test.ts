import { describe, it } from "@effect/vitest"
import { escapeHtml } from "@partner-commentary/core/shared/Text"
import { maxCountedFurtherAssignments } from "@partner-commentary/core/topic/AssignmentStore"
import * as fc from "fast-check"
import { assert } from "vitest"
import { type CreatorAction, creatorActions, textFieldNameByAction } from "../../src/creator-portal/CreatorAction.ts"
import { renderCreatorPage } from "../../src/creator-portal/CreatorPage.ts"
import { html } from "../../src/creator-portal/Html.ts"
import { renderInboxPage } from "../../src/creator-portal/InboxPage.ts"
import { renderOutboxMailPage, renderOutboxPage } from "../../src/creator-portal/OutboxPage.ts"
import type { CreatorPageData } from "../../src/creator-portal/PageContent.ts"
import { pageStylesheet } from "../../src/creator-portal/Style.ts"
import * as Samples from "./Samples.ts"

const nasty = fc.constantFrom(
  "<",
  ">",
  '"',
  "'",
  "&",
  "</textarea>",
  "</title>",
  "</style>",
  "<script>alert(1)</script>",
  '" autofocus onfocus="alert(1)',
  "javascript:alert(1)",
  "&#60;",
  "\ud800",
  "\u202e",
  "${x}",
  "`"
)
/**
 * Generates any code point. The unit "binary" of fast-check is slower, because fast-check first fills a table of all
 * code points.
 */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code))

const words = fc
  .array(fc.oneof(nasty, fc.string({ unit: anyCharacter })), { minLength: 1, maxLength: 12 })
  .map((parts) => parts.join(""))
  .filter((text) => text !== "")

/** Returns the HTML tags of the page with their attribute names, without texts and attribute values. */
const extractTags = (page: string) =>
  page
    .replace(pageStylesheet, "")
    .match(/<[^<>]*>/g)
    ?.map((tag) => tag.replace(/"[^"]*"/g, '""'))

const replaceTexts = (assignment: CreatorPageData["assignment"], text: string): CreatorPageData["assignment"] => ({
  ...assignment,
  persona: { ...assignment.persona, name: text },
  perspective: assignment.perspective && text,
  declineReason: assignment.declineReason && text,
  draft: assignment.draft && { ...assignment.draft, content: text },
  commentary: assignment.commentary && { ...assignment.commentary, content: text },
  generation: {
    ...assignment.generation,
    revision: assignment.generation.revision && { ...assignment.generation.revision, instructions: text }
  }
})

describe("Markup of creators' pages", () => {
  it("a creator's page has the same HTML tags for any content, in every state", () =>
    fc.assert(
      fc.property(words, fc.constantFrom(...Object.values(Samples.assignmentsByState)), (text, state) => {
        const page = (said: string) =>
          renderCreatorPage(
            Samples.makeCreatorPageData(replaceTexts(state, said), {
              topic: { ...Samples.topic, content: said, organizationName: said }
            })
          )
        assert.deepStrictEqual(extractTags(page(text)), extractTags(page("plain")))
      })
    ))

  it("a creator's page has the same HTML tags for any rejected input of every action", () =>
    fc.assert(
      fc.property(
        words,
        fc.constantFrom(...Object.values(Samples.assignmentsByState)),
        fc.constantFrom(...creatorActions),
        fc.boolean(),
        (text, state, action, isStale) => {
          const page = (said: string) => {
            const enteredText = { perspective: said, reason: said, content: said, instructions: said, draft_id: said }
            const problem = {
              field: isStale ? "draft_id" : textFieldNameByAction[action],
              constraint: said
            }
            return renderCreatorPage(
              Samples.makeCreatorPageData(state, {
                refusal: { action, problem, explanation: said, enteredText, isStale }
              })
            )
          }
          assert.deepStrictEqual(extractTags(page(text)), extractTags(page("plain")))
        }
      )
    ))

  it("a creator's page removes Unicode direction overrides from every text of another person", () => {
    const backwards = "Who wins? \u202esregal\u202c \u2066x\u2069"
    const topic = { ...Samples.topic, content: backwards, organizationName: backwards }
    const shown = renderCreatorPage(
      Samples.makeCreatorPageData(replaceTexts(Samples.assignmentsByState.topicSent, backwards), { topic })
    )
    assert.notMatch(shown, /[\u202a-\u202e\u2066-\u2069]/)
  })

  it("a form on a creator's page submits exactly the text that the page showed", () =>
    fc.assert(
      fc.property(words, (text) => {
        const page = renderCreatorPage(Samples.makeCreatorPageData(replaceTexts(Samples.assignmentWithDraft, text)))
        const shown = /<textarea[^>]*name="content"[^>]*>\n([^<]*)<\/textarea>/.exec(page)?.[1]
        const read = shown?.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
        assert.strictEqual(read, text.toWellFormed())
      })
    ))

  it("a creator's page has unique ids, labelled fields and one main heading, with and without errors", () => {
    const refusals = creatorActions.flatMap((action) =>
      [true, false].map((isStale) => ({
        action,
        isStale,
        problem: { field: isStale ? "draft_id" : textFieldNameByAction[action], constraint: "" },
        explanation: "No.",
        enteredText: { [textFieldNameByAction[action]]: "Typed." }
      }))
    )
    const pages = Object.values(Samples.assignmentsByState).flatMap((state) =>
      [null, ...refusals].map((refusal) => renderCreatorPage(Samples.makeCreatorPageData(state, { refusal })))
    )
    for (const page of pages) {
      const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
      for (const [, id] of page.matchAll(/<textarea id="([^"]*)"/g)) assert.include(page, `<label for="${id}">`)
      for (const [, described] of page.matchAll(/aria-describedby="([^"]*)"/g)) {
        for (const id of described!.split(" ")) assert.include(ids, id)
      }
      for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) assert.include(ids, target)
      if (page.includes("That was not done")) assert.include(page, "Typed.")
      assert.strictEqual(page.match(/<h1>/g)?.length, 1)
      assert.include(page, '<html lang="en">')
    }
  })

  it("a creator's page loads no external resource and runs no script", () => {
    for (const state of Object.values(Samples.assignmentsByState)) {
      const page = renderCreatorPage(Samples.makeCreatorPageData(state))
      assert.notMatch(page, /<script|<img|<iframe| style="| on\w+="|url\(|@import/)
      for (const [, target] of page.matchAll(/ (?:src|href|action)="([^"]*)"/g)) {
        assert.match(target!, /^(data:image\/svg|\/creator\/token|#)/)
      }
    }
  })

  it("a creator's page offers exactly the actions that the state allows", () => {
    const offered: Readonly<Record<keyof typeof Samples.assignmentsByState, ReadonlyArray<CreatorAction>>> = {
      topicSent: ["respond", "decline"],
      opinionInjected: [],
      stalled: ["revise"],
      commentaryGenerated: ["approve", "revise", "withdraw"],
      revised: ["approve", "revise", "withdraw"],
      revisionRequested: ["approve", "withdraw"],
      lastDraft: ["approve", "withdraw"],
      approved: [],
      declined: [],
      expired: [],
      withdrawn: [],
      timedOut: [],
      neverWritten: []
    }
    for (const [name, state] of Object.entries(Samples.assignmentsByState)) {
      const page = renderCreatorPage(Samples.makeCreatorPageData(state))
      const found = new Set([...page.matchAll(/action="\/creator\/token\/(\w+)"/g)].map(([, action]) => action))
      assert.deepStrictEqual([...found].sort(), [...offered[name as keyof typeof offered], "desk"].sort(), name)
    }
  })
})

describe("Texts of creators' pages", () => {
  const text = (page: string) =>
    page
      .replace(pageStylesheet, "")
      .replace(/<[^>]*>/g, "")
      .replaceAll("\u00a0", " ")
  const named = (name: string) => ({
    ...Samples.assignmentAwaitingPerspective,
    persona: { ...Samples.assignmentAwaitingPerspective.persona, name }
  })

  it("a creator's page states how long a closed request can be read", () => {
    for (const state of [
      Samples.approvedAssignment,
      Samples.declinedAssignment,
      Samples.expiredAssignment,
      Samples.withdrawnAssignment
    ]) {
      assert.include(
        text(renderCreatorPage(Samples.makeCreatorPageData(state))),
        "can be read until Saturday 13 June 2026, 12:00 UTC"
      )
    }
  })

  it("a time on a creator's page wraps only between the day and the time of day", () => {
    assert.include(
      renderCreatorPage(Samples.makeCreatorPageData(Samples.assignmentAwaitingPerspective)),
      ">Saturday\u00a016\u00a0May\u00a02026, 12:00\u00a0UTC</time>"
    )
  })

  it("a creator's page shows the maximum number of drafts when few drafts are left", () => {
    const heading = (number: number) => {
      const draft = { ...Samples.assignmentWithSecondDraft.draft!, number }
      return /<h2>(Draft.*)<\/h2>/
        .exec(renderCreatorPage(Samples.makeCreatorPageData({ ...Samples.assignmentWithSecondDraft, draft })))![1]!
        .replace(/<[^>]*>/g, "")
    }
    assert.deepStrictEqual([1, 7, 8, 10].map(heading), [
      "Draft 1",
      "Draft 7",
      "Draft 8 of at most 10",
      "Draft 10 of at most 10"
    ])
  })

  it("the initials on a creator's page contain only letters and digits", () => {
    const initials = (name: string) =>
      /aria-hidden="true">([^<]*)</.exec(renderCreatorPage(Samples.makeCreatorPageData(named(name))))?.[1]
    const names = ["Jordan Vale", "Wolfe <b>Ivy", "(élan) & 7up !", "Cher", "山田 太郎", "<& !>", "  O’Neil  "]
    assert.deepStrictEqual(names.map(initials), ["JV", "WB", "É7", "C", "山太", "", "O"])
  })
})

describe("Inbox and outbox pages", () => {
  it("the inbox and outbox pages have the same HTML tags for any content", () =>
    fc.assert(
      fc.property(words, (text) => {
        const pages = (said: string) => {
          const mail = { file: said, date: said, from: said, to: said, subject: said, text: said }
          const topic = { ...Samples.topic, content: said, organizationName: said }
          return [
            renderInboxPage({
              requests: [
                {
                  assignment: replaceTexts(Samples.assignmentAwaitingPerspective, said),
                  topic,
                  link: "https://partners.example/creator/t"
                }
              ],
              further: 7
            }),
            renderOutboxPage([mail], "/dev/outbox"),
            renderOutboxMailPage(mail, "/dev/outbox")
          ]
        }
        assert.deepStrictEqual(pages(text).map(extractTags), pages("plain").map(extractTags))
      })
    ))

  it("the inbox shows the number of further open requests, or `1,000 or more` if there are too many to count", () => {
    const request = {
      assignment: Samples.assignmentAwaitingPerspective,
      topic: Samples.topic,
      link: "https://partners.example/creator/t"
    }
    const words = (shown: number, further: number) => {
      const page = renderInboxPage({ requests: Array.from({ length: shown }, () => request), further })
      return [/<title>([^<]*)/.exec(page)?.[1]?.split(" · ")[0], /Not shown: <strong>([^<]*)/.exec(page)?.[1]]
    }
    assert.deepStrictEqual(words(0, 0), ["Nothing open", undefined])
    assert.deepStrictEqual(words(1, 0), ["1 open request", undefined])
    assert.deepStrictEqual(words(100, 0), ["100 open requests", undefined])
    assert.deepStrictEqual(words(100, 7), ["107 open requests", "7"])
    assert.deepStrictEqual(words(100, maxCountedFurtherAssignments), ["1,100 or more open requests", "1,000 or more"])
  })

  it("the outbox turns exactly the complete URLs in a mail into links", () => {
    const text = 'Answer:\nhttps://partners.example/creator/a.b-c\n"javascript:alert(1)" http:\u200b//evil'
    const page = renderOutboxMailPage({ file: "f", date: "d", from: "f", to: "t", subject: "s", text }, "/dev/outbox")
    const links = [...page.matchAll(/<a href="([^"]*)"/g)].map(([, target]) => target)
    assert.deepStrictEqual(links, ["/dev/outbox", "https://partners.example/creator/a.b-c"])
  })
})

describe("HTML template", () => {
  it("the HTML template escapes every value except nested HTML", () => {
    assert.strictEqual(
      html`<p title="${'"'}">${["<", html`<b>`, 1, null, undefined, false]}</p>`.markup,
      '<p title="&#34;">&#60;<b>1</p>'
    )
    assert.notMatch(escapeHtml(`<>"'&`), /[<>"']|&(?!#)/)
  })
})

describe("Colours of creators' pages", () => {
  const schemes = [...pageStylesheet.matchAll(/:root\{([^}]*)\}/g)].map(([, body]) =>
    Object.fromEntries([...body!.matchAll(/--([\w-]+):(#[0-9a-f]+)/g)].map(([, name, value]) => [name!, value!]))
  )
  const luminance = (hex: string) => {
    const full = hex.length === 4 ? hex.replace(/[0-9a-f]/g, "$&$&") : hex
    const [r, g, b] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(full.slice(at, at + 2), 16) / 255
      return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
  }
  const contrast = (one: string, other: string) => {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a)
    return (light! + 0.05) / (dark! + 0.05)
  }

  it("the colours of the stylesheet have enough contrast in light and dark mode (WCAG AA)", () => {
    assert.strictEqual(schemes.length, 2)
    for (const scheme of schemes) {
      const { accent, field, ink, paper, sheet, soft, wash } = scheme as Record<string, string>
      for (const ground of [paper!, sheet!]) {
        for (const text of [ink!, soft!, accent!]) assert.isAtLeast(contrast(text, ground), 4.5)
        assert.isAtLeast(contrast(field!, ground), 3)
      }
      assert.isAtLeast(contrast(scheme["on-accent"]!, accent!), 4.5)
      for (const text of [ink!, accent!]) assert.isAtLeast(contrast(text, wash!), 4.5)
    }
  })
})
