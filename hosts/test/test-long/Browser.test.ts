/**
 * Tests the creator's pages in a real browser without scripts, on a phone and on a desktop, from the mail to the last
 * page.
 */
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { browserDevices, Chromium } from "./Chromium.ts"
import { CreatorSite, testOrganizationName } from "./CreatorSite.ts"
import { checkPageAccessibility } from "./PageAccessibility.ts"
import { type BrowserVisitor, expectAutomaticRefresh, followToNextPage, runInBrowserContext } from "./Visitor.ts"

const topic = "Will the Lakers make the play-offs this season, or is the bench too thin for April?"
const perspective =
  "They will, but only just. The defence has finally woken up, and nobody wants to meet them in April. The bench is thin."
const edited = "They will make it, but only just: the defence has woken up."

type Site = CreatorSite["Service"]

for (const device of browserDevices) {
  layer(Layer.merge(CreatorSite.layer, Chromium.layer), { excludeTestServices: true })(`on a ${device.name}`, (it) => {
    const creator = (name: string, story: (visitor: BrowserVisitor, site: Site) => Promise<void>) =>
      it.effect(name, () =>
        Effect.gen(function* () {
          const site = yield* CreatorSite
          const browser = yield* Chromium
          yield* Effect.promise(() => runInBrowserContext(browser, site, device, (visitor) => story(visitor, site)))
        })
      )
    stories(creator)
  })
}

function stories(creator: (name: string, story: (visitor: BrowserVisitor, site: Site) => Promise<void>) => void) {
  creator("a creator can do every step from the first mail to the approved text", async (visitor, site) => {
    const { follow, page, posts, press, wander } = visitor
    const ada = await site.persona("Ada Vance")
    const mail = await site.ask(ada, topic)
    const button = (name: string) => page.getByRole("button", { name, exact: true })

    await follow(mail, "Answer or decline")
    await checkPageAccessibility(visitor, "1-invitation", "Waiting for your view")
    assert.strictEqual(await page.getByRole("blockquote").innerText(), topic)
    await page.getByText(`${testOrganizationName} writes:`).waitFor()
    await page.getByRole("heading", { level: 1, name: "What does Ada Vance think?" }).waitFor()
    for (const [term, definition] of [
      ["For the persona", "Ada Vance"],
      ["Answer by", /^\w+day\s\d{1,2}\s\w+\s\d{4}, \d\d:\d\d\sUTC$/]
    ] as const) {
      const fact = page.locator("dl > div", { has: page.getByText(term, { exact: true }) })
      await fact.getByRole("definition").getByText(definition).waitFor()
    }

    await page.getByLabel("Your view").fill(perspective)
    await site.hold()
    await press(button("Send my view"))
    await checkPageAccessibility(visitor, "3-writing", "The draft is being written")
    await wander("The draft is being written")
    await expectAutomaticRefresh(visitor, () => site.release())
    await page.getByRole("heading", { level: 2, name: "Draft 1" }).waitFor()
    await follow(await site.mail(ada, 2), "Read the draft")
    await checkPageAccessibility(visitor, "4-draft", "Waiting for your approval")
    const draft = page.locator("section", { has: page.getByRole("heading", { name: /^Draft/ }) }).locator(".prose")
    const first = await draft.innerText()
    assert.include(first, "The defence has finally woken up")

    await site.hold()
    await page.getByText("Ask for another draft").first().click()
    await page.getByLabel("What should change?").fill("Shorter, please.")
    await press(button("Ask for another draft"))
    await checkPageAccessibility(visitor, "5-another-draft", "Another draft is being written")
    assert.strictEqual(await draft.innerText(), first, "the first draft stays to be approved")
    await wander("Another draft is being written")
    await site.release()
    await follow(await site.mail(ada, 3), "Read the draft")
    await page.getByRole("heading", { level: 2, name: "Draft 2" }).waitFor()
    assert.notStrictEqual(await draft.innerText(), first)

    await page.getByText("Edit the text, then approve it").click()
    const text = page.getByLabel("The text to approve")
    assert.strictEqual(await text.inputValue(), await draft.innerText())
    await text.fill(edited)
    await press(button("Approve the edited text"))
    assert.strictEqual(await page.locator(".prose").innerText(), edited)
    assert.strictEqual(await page.getByRole("button").count(), 1, "nothing is left to do but to ask for other requests")
    await checkPageAccessibility(visitor, "6-approved", "Approved")
    await wander("Approved")
    assert.strictEqual(posts(), 3)
    assert.strictEqual((await site.mails(ada)).length, 3)
  })

  creator(
    "a text that is too short gets an error beside the form field, and the field keeps the text",
    async (visitor, site) => {
      const { context, device, follow, page, posts, press } = visitor
      const hal = await site.persona("Hal Brandt")
      await follow(await site.ask(hal, topic), "Answer or decline")
      const send = page.getByRole("button", { name: "Send my view" })
      // The browser rejects a text that is too short. The service also rejects a text that is too short after trimming.
      const view = page.getByLabel("Your view")
      await view.fill("Yes.")
      await view.blur()
      await send.click()
      assert.strictEqual(posts(), 0)
      await view.fill(`Yes.${" ".repeat(20)}`)
      await press(send, 400)
      assert.match(await view.inputValue(), /^Yes\. {20}$/)
      assert.isBelow(
        (await view.boundingBox())?.y ?? Infinity,
        device.viewport.height,
        "the field is on the first screen"
      )
      await page.getByRole("alert").getByText("Please write 10 to 5000 characters; now there are 4.").waitFor()
      assert.match((await view.getAttribute("aria-describedby")) ?? "", /respond-perspective-error/)
      assert.match(await page.locator("#respond-perspective-error").innerText(), /10 to 5000 characters/)
      await checkPageAccessibility(visitor, "2-too-short", "Not done: Waiting for your view")
      await page.getByRole("alert").getByRole("link").click()
      assert.isTrue(await view.evaluate((element) => element.matches(":target")), "the summary leads to the field")

      // A GET request to the form's address redirects to the page.
      const again = await context.newPage()
      await again.goto(page.url().replace(/#.*/, ""))
      assert.notInclude(again.url(), "/respond")
      assert.strictEqual(await again.title(), "Waiting for your view · Partner Commentary")

      await view.fill(perspective)
      await press(send)
      await follow(await site.mail(hal, 2), "Read the draft")
      assert.strictEqual(posts(), 2)
    }
  )

  creator("a creator can open the decline form, enter a reason and decline", async (visitor, site) => {
    const { follow, page, press, wander } = visitor
    await follow(await site.ask(await site.persona("Bo Lindqvist"), topic), "Answer or decline")
    const reason = page.getByLabel("Reason")
    assert.isFalse(await reason.isVisible())
    await page.getByText("I would rather decline").click()
    await reason.fill("On holiday until March.")
    await press(page.getByRole("button", { name: "Decline this request" }))
    await page.getByText("On holiday until March.").waitFor()
    assert.strictEqual(await page.getByRole("textbox").count(), 0)
    await checkPageAccessibility(visitor, "7-declined", "Declined")
    await wander("Declined")
  })

  creator(
    "an outdated tab cannot approve a replaced draft, and then shows the current draft",
    async (visitor, site) => {
      const { context, follow, page, posts, press } = visitor
      const cy = await reachDraft(visitor, site, "Cy Okafor")

      const other = await context.newPage()
      await other.goto(page.url())
      await other.getByText("Edit the text, then approve it").click()
      await other.getByLabel("The text to approve").fill(edited)
      await page.getByText("Ask for another draft").first().click()
      await press(page.getByRole("button", { name: "Ask for another draft" }))
      await follow(await site.mail(cy, 3), "Read the draft")
      const present = await page.locator(".sheet .prose").innerText()

      await press(other.getByRole("button", { name: "Approve the edited text" }), 400)
      await other.getByRole("alert").getByText("A newer draft has arrived: it is number 2").waitFor()
      assert.strictEqual(await other.locator(".sheet .prose").innerText(), present)
      assert.strictEqual(await other.getByLabel("The text to approve").inputValue(), edited, "the edits are kept")
      await other.getByRole("alert").getByText("it was meant for the older draft").waitFor()
      await other.getByText("You wrote this for an older draft, not for draft 2.").waitFor()
      await checkPageAccessibility(visitor, "8-stale-draft", "Not done: Waiting for your approval", other)

      // The second tab now shows the current draft, which can be approved. The first tab still shows the old draft.
      await press(other.getByRole("button", { name: "Approve as it stands" }))
      assert.strictEqual(await other.locator(".prose").innerText(), present)
      await page.getByText("Edit the text, then approve it").click()
      await page.getByLabel("The text to approve").fill("Something else altogether.")
      await press(page.getByRole("button", { name: "Approve the edited text" }), 400)
      await page.getByRole("alert").getByText("The commentary is already approved.").waitFor()
      await page.getByText("Something else altogether.").waitFor()
      await checkPageAccessibility(visitor, "9-too-late", "Not done: Approved")
      assert.strictEqual(posts(), 5)
    }
  )

  creator("a creator can withdraw after the first draft", async (visitor, site) => {
    const { page, press, wander } = visitor
    await reachDraft(visitor, site, "Dee Marsh")
    await page.getByText("Withdraw from this request").click()
    await page.getByLabel("Reason").fill("I was too quick.")
    await press(page.getByRole("button", { name: "Withdraw", exact: true }))
    await page.getByText("I was too quick.").waitFor()
    await checkPageAccessibility(visitor, "10-withdrawn", "Withdrawn")
    await wander("Withdrawn")
  })

  creator("a forged link leads to a page that reveals nothing about any request", async (visitor, site) => {
    const { page, follow } = visitor
    await follow(await site.ask(await site.persona("Eve Aldana"), topic), "Answer or decline")
    const forged = page.url().replace(/\.([\w-])(?=[\w-]+$)/, (_, first) => `.${first === "A" ? "B" : "A"}`)
    for (const [address, status] of [
      [page.url(), 200],
      [forged, 404],
      [`${site.apiRoot}/creator/nothing`, 404]
    ] as const) {
      const answer = await page.goto(address)
      assert.strictEqual(answer?.status(), status, address)
    }
    assert.notInclude(await page.content(), "Eve Aldana")
    assert.strictEqual(await page.locator("form").count(), 0)
    await checkPageAccessibility(visitor, "11-forged", "This link does not work")
  })

  creator("the page shows very long words, markup and right-to-left text unchanged", async (visitor, site) => {
    const { follow, page } = visitor
    const strange = `<img src=x onerror=alert(1)> & ${"endless".repeat(40)} \u05e9\u05dc\u05d5\u05dd`
    const name = `${"Wolfeschlegelsteinhausen".repeat(2)} <b>Ivy`
    await follow(await site.ask(await site.persona(name), strange), "Answer or decline")
    assert.strictEqual(await page.getByRole("blockquote").innerText(), strange)
    await checkPageAccessibility(visitor, "14-strange", "Waiting for your view")
  })

  creator("a creator can request a link by mail, and the link leads to all open requests", async (visitor, site) => {
    const { context, follow, page, posts, press } = visitor
    const fay = await site.persona("Fay Ito")
    const mail = await site.ask(fay, topic)
    await site.ask(fay, "Should the three-point line be moved back another metre?")
    await follow(mail, "Answer or decline")
    const view = page.getByLabel("Your view")
    await view.fill(perspective)
    const [beside] = await Promise.all([
      context.waitForEvent("page"),
      page.getByRole("button", { name: "Mail me a link to all of them" }).click()
    ])
    await beside.getByRole("status").getByText("is on its way to you by mail").waitFor()
    await checkPageAccessibility(visitor, "12-desk-mailed", "Link on its way: Waiting for your view", beside)
    await beside.reload()
    assert.strictEqual(posts(), 1, "the form was not sent again")
    assert.strictEqual(await view.inputValue(), perspective, "what was being typed is still there")
    await follow(await site.mail(fay, 3), "Show my open requests")
    await checkPageAccessibility(visitor, "13-desk", "2 open requests")
    const links = page.getByRole("listitem").getByRole("link")
    assert.deepStrictEqual(await links.allInnerTexts(), [
      topic,
      "Should the three-point line be moved back another metre?"
    ])
    await press(links.last())
    await page.getByRole("heading", { level: 1, name: "What does Fay Ito think?" }).waitFor()
    assert.strictEqual((await site.mails(fay)).length, 3)
  })

  creator("a creator can respond and approve with the keyboard alone", async (visitor, site) => {
    const { follow, page, wander } = visitor
    const gus = await site.persona("Gus Tanaka")
    await follow(await site.ask(gus, topic), "Answer or decline")
    const { keyboard } = page
    const enter = async (title: string) => {
      await followToNextPage(page, () => keyboard.press("Enter"))
      assert.include(await page.title(), title)
    }
    /** Presses Tab until the element with this name has the focus. */
    const tabTo = async (role: "button" | "textbox" | "link" | "summary", name: string) => {
      const wanted = role === "summary" ? page.locator("summary", { hasText: name }) : page.getByRole(role, { name })
      for (let tries = 0; tries < 20; tries++) {
        await keyboard.press("Tab")
        if (await wanted.evaluate((element) => element === document.activeElement)) return
      }
      assert.fail(`no way to “${name}” by keyboard`)
    }

    await site.hold()
    await tabTo("textbox", "Your view")
    await keyboard.type(perspective)
    await tabTo("button", "Send my view")
    await enter("The draft is being written")
    await site.release()
    await follow(await site.mail(gus, 2), "Read the draft")
    await tabTo("summary", "Edit the text")
    await keyboard.press("Enter")
    await tabTo("textbox", "The text to approve")
    await keyboard.press("ControlOrMeta+A")
    await keyboard.type(edited)
    await tabTo("button", "Approve the edited text")
    await enter("Approved")
    assert.strictEqual(await page.locator(".prose").innerText(), edited)
    await wander("Approved")
  })

  /** Takes all steps up to the mail about the first draft, and opens the page of this draft. */
  const reachDraft = async ({ follow, page, press }: BrowserVisitor, site: Site, name: string) => {
    const persona = await site.persona(name)
    await follow(await site.ask(persona, topic), "Answer or decline")
    await page.getByLabel("Your view").fill(perspective)
    await press(page.getByRole("button", { name: "Send my view" }))
    await follow(await site.mail(persona, 2), "Read the draft")
    return persona
  }
}
