/** The explorer in a real browser, on a phone and on a desktop: it needs nobody but the service, and tries a request with a key. */
import { mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import type { Document } from "@partner-commentary/api/description/Document"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { Chromium, type Device, devices } from "./Chromium.ts"
import { ExplorerSite, personaName } from "./ExplorerSite.ts"

/** With `SCREENSHOTS` set, the pages are pictured here. */
const pictures = process.env["SCREENSHOTS"] === undefined ? null : join(tmpdir(), "explorer-pages")

for (const device of devices) {
  layer(Layer.merge(ExplorerSite.layer, Chromium.layer), { excludeTestServices: true })(`on a ${device.name}`, (it) => {
    it.effect("the explorer shows every operation, tries one with a key, and asks nobody but the service", () =>
      Effect.gen(function* () {
        const site = yield* ExplorerSite
        const browser = yield* Chromium
        yield* Effect.promise(() => explore(browser, site, device))
      })
    )
  })
}

const explore = async (browser: Browser, { apiRoot, key }: ExplorerSite["Service"], device: Device) => {
  const { isMobile, name, viewport } = device
  const context = await browser.newContext({ viewport, isMobile, hasTouch: isMobile, colorScheme: "light" })
  const complaints = await watch(context, apiRoot)
  try {
    const page = await context.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(`${apiRoot}/docs`)
    await page.getByRole("heading", { level: 1, name: "Partner Commentary API" }).waitFor()
    assert.include(await page.title(), "Partner Commentary API")
    assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), viewport.width)
    await picture(page, `1-top-${name}`)
    await showsAll(page, apiRoot)

    await page.goto(`${apiRoot}/docs#tag/personas/GET/partner/v1/personas`)
    const heading = page.getByRole("heading", { name: "List licensed personas" })
    await heading.scrollIntoViewIfNeeded()
    await picture(page, `2-operation-${name}`)
    const section = page.locator("section", { has: heading }).last()
    await section.getByRole("button", { name: "Test Request" }).click()

    const client = page.getByRole("dialog")
    const value = client.getByRole("textbox", { name: "Value", exact: true }).first()
    const send = client.getByRole("button", { name: /^Send get request/i })
    await value.fill(`${key.slice(0, -1)}?`)
    await send.click()
    await client.getByText("The API key is missing or invalid.").waitFor()
    await value.fill(key)
    await send.click()
    await client.getByText(`"${personaName}"`).waitFor()
    assert.isAtMost(await page.evaluate(() => innerWidth), viewport.width, "nothing is beyond the screen")
    await picture(page, `3-answer-${name}`)
    await page.emulateMedia({ colorScheme: "dark" })
    await picture(page, `4-answer-dark-${name}`)
    assert.deepStrictEqual(complaints, [])
  } finally {
    await context.close()
  }
}

/** Each operation of the description has its heading. */
const showsAll = async (page: Page, apiRoot: string) => {
  const description: Document = await (await page.request.get(`${apiRoot}/openapi.json`)).json()
  const summaries = Object.values(description.paths).flatMap((path) =>
    Object.values(path).map(({ summary = "" }) => summary)
  )
  assert.isAbove(summaries.length, 7)
  for (const summary of summaries) {
    await page.getByRole("heading", { name: summary, exact: true }).first().waitFor({ state: "attached" })
  }
}

/** Whatever the browser says, and whomever it asks but the service, which it does not reach. */
const watch = async (context: BrowserContext, apiRoot: string) => {
  const complaints: Array<string> = []
  await context.route(
    ({ origin }) => origin !== apiRoot,
    (route) => {
      complaints.push(`asked ${route.request().url()}`)
      return route.abort()
    }
  )
  context.on("requestfailed", (request) =>
    complaints.push(`failed: ${request.url()} (${request.failure()?.errorText})`)
  )
  context.on("weberror", (error) => complaints.push(`error: ${error.error().message}`))
  context.on("console", (message) => {
    // The wrong key, on purpose
    if (/status of 401/.test(message.text()) && message.location().url.endsWith("/personas")) return
    if (["error", "warning"].includes(message.type())) complaints.push(`console ${message.type()}: ${message.text()}`)
  })
  return complaints
}

const picture = async (page: Page, name: string) => {
  if (pictures === null) return
  mkdirSync(pictures, { recursive: true })
  // What comes into sight comes gently.
  await page.waitForTimeout(800)
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}
