/**
 * A creator's browser on one device, with scripts disabled. The visitor records the browser's messages and requests.
 * The test fails at the end if the pages caused an unexpected message or request.
 */
import { assert } from "@effect/vitest"
import type { MailMessage } from "@partner-commentary/core/mail/Mailer"
import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import type { BrowserDevice } from "./Chromium.ts"
import type { CreatorSite } from "./CreatorSite.ts"

/** The limit of a page's size before compression, in bytes. */
const maxBytes = 40 * 1024

export interface BrowserVisitor {
  readonly device: BrowserDevice
  readonly context: BrowserContext
  readonly page: Page
  /** The number of forms sent so far. */
  readonly posts: () => number
  /** Opens a mail as HTML and follows its main link. */
  readonly follow: (mail: MailMessage, action: string) => Promise<void>
  /** Clicks or taps an element that leads to another page, and waits until the other page has loaded. */
  readonly press: (what: Locator, status?: number) => Promise<void>
  /**
   * Reloads the page, goes back and goes forward. The page title must stay the same, and the browser must not send a
   * form again.
   */
  readonly wander: (title: string) => Promise<void>
}

export const runInBrowserContext = async (
  browser: Browser,
  site: CreatorSite["Service"],
  device: BrowserDevice,
  story: (visitor: BrowserVisitor) => Promise<void>
): Promise<void> => {
  const { isMobile, viewport } = device
  const context = await browser.newContext({ viewport, isMobile, hasTouch: isMobile, javaScriptEnabled: false })
  const watch = watching(context, site)
  await site.release()
  try {
    await story(await arrive(context, device, watch.asked))
    await watch.end()
  } finally {
    await context.close()
  }
}

const watching = (context: BrowserContext, site: CreatorSite["Service"]) => {
  const asked: Array<string> = []
  const heavy: Array<Promise<void>> = []
  const refused: Array<string> = []
  const complaints: Array<string> = []
  site.requests.length = 0

  context.on("request", (request) => {
    const { origin, pathname, search } = new URL(request.url())
    asked.push(`${request.method()} ${pathname}${search}`)
    if (origin !== site.apiRoot) complaints.push(`asked ${origin}`)
    if (request.resourceType() !== "document") complaints.push(`asked for a ${request.resourceType()}: ${pathname}`)
  })
  context.on("requestfailed", (request) =>
    complaints.push(`failed: ${request.url()} (${request.failure()?.errorText})`)
  )
  context.on("requestfinished", (request) => {
    heavy.push(
      request.sizes().then(({ responseBodySize }) => {
        if (responseBodySize > maxBytes) complaints.push(`${responseBodySize} bytes: ${request.url()}`)
      })
    )
  })
  context.on("response", (response) => {
    if ([400, 404].includes(response.status())) refused.push(response.url())
  })
  context.on("weberror", (error) => complaints.push(`error: ${error.error().message}`))
  context.on("console", (message) => {
    // If a page reports a refusal, the browser also logs the page's status.
    const isStatus = /^Failed to load resource: the server responded with a status of (400|404) /.test(message.text())
    if (isStatus && refused.includes(message.location().url)) return
    complaints.push(`console ${message.type()}: ${message.text()}`)
  })

  return {
    asked,
    end: async () => {
      await Promise.all(heavy)
      assert.deepStrictEqual(complaints, [])
      assert.deepStrictEqual(site.requests, asked, "the server saw what the pages account for, and nothing more")
    }
  }
}

const arrive = async (
  context: BrowserContext,
  device: BrowserDevice,
  asked: ReadonlyArray<string>
): Promise<BrowserVisitor> => {
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const posts = () => asked.filter((request) => request.startsWith("POST ")).length

  const press = (what: Locator, status = 200) =>
    followToNextPage(what.page(), () => (device.isMobile ? what.tap() : what.click()), status)

  return {
    device,
    context,
    page,
    posts,
    press,
    follow: async (mail, action) => {
      // A mail has no content security policy, but the current page may have one. Open an empty page first, so that no
      // content security policy applies to the mail.
      await page.goto("about:blank")
      await page.setContent(mail.html)
      await press(page.getByRole("link", { name: action, exact: true }))
    },
    wander: async (title) => {
      const before = posts()
      for (const move of ["reload", "goBack", "goForward"] as const) {
        await page[move]()
        assert.strictEqual(await page.title(), `${title} · Partner Commentary`, move)
      }
      assert.strictEqual(posts(), before, "no form was sent again")
    }
  }
}

/** Runs an action that leads to another page, and waits until the other page has loaded. */
export const followToNextPage = async (page: Page, act: () => Promise<void>, status = 200): Promise<void> => {
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.request().isNavigationRequest() && response.status() !== 303),
    page.waitForEvent("load"),
    act()
  ])
  assert.strictEqual(response.status(), status, response.url())
}

/**
 * Tests that the page refreshes itself while a draft is being written, and then shows the draft. In this test the page
 * refreshes every second, and in production every 30 seconds.
 */
export const expectAutomaticRefresh = async ({ page }: BrowserVisitor, meanwhile: () => Promise<unknown>) => {
  const address = page.url()
  await page.route(address, async (route) => {
    const answer = await route.fetch()
    const body = (await answer.text()).replace('http-equiv="refresh" content="30"', 'http-equiv="refresh" content="1"')
    await route.fulfill({ response: answer, body })
  })
  await page.reload()
  await meanwhile()
  await page.waitForFunction(() => document.title.startsWith("Waiting for your approval"))
  assert.strictEqual(page.url(), address)
  await page.unroute(address)
}
