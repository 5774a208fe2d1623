/**
 * Tests the API explorer in a real browser, on a phone and on a desktop. The explorer loads nothing from other servers
 * and sends a request with a key.
 */
import { mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import type { OpenApiDocument } from "@partner-commentary/api/description/Document"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import { type BrowserDevice, browserDevices, Chromium } from "./Chromium.ts"
import { ExplorerSite, testPersonaName } from "./ExplorerSite.ts"

/** If the environment variable `SCREENSHOTS` is set, the test saves screenshots of the pages in this folder. */
const pictures = process.env["SCREENSHOTS"] === undefined ? null : join(tmpdir(), "explorer-pages")

for (const device of browserDevices) {
  layer(Layer.merge(ExplorerSite.layer, Chromium.layer), { excludeTestServices: true })(`on a ${device.name}`, (it) => {
    it.effect("the explorer shows every operation, sends a request with a key, and contacts no other server", () =>
      Effect.gen(function* () {
        const site = yield* ExplorerSite
        const browser = yield* Chromium
        yield* Effect.promise(() => explore(browser, site, device))
      })
    )
  })
}

const explore = async (browser: Browser, { apiRoot, key, testKey }: ExplorerSite["Service"], device: BrowserDevice) => {
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

    const section = await operation(
      page,
      `${apiRoot}/docs#tag/personas/GET/partner/v1/personas`,
      "List licensed personas"
    )
    await picture(page, `2-operation-${name}`)
    const { client, send, value } = await tried(page, section, "Value")
    await value.fill(`${key.slice(0, -1)}?`)
    await send.click()
    await client.getByText("The API key is missing or invalid.").waitFor()
    await value.fill(key)
    await send.click()
    await client.getByText(`"${testPersonaName}"`).waitFor()
    assert.isAtMost(await page.evaluate(() => innerWidth), viewport.width, "nothing is beyond the screen")
    await picture(page, `3-answer-${name}`)
    await page.emulateMedia({ colorScheme: "dark" })
    await picture(page, `4-answer-dark-${name}`)

    await createsTopic(page, apiRoot, testKey, `5-created-${name}`)
    await asksForToken(page, apiRoot)
    await showsStream(page, apiRoot)
    await showsNothingToCopy(page, apiRoot)
    assert.deepStrictEqual(complaints, [])
  } finally {
    await context.close()
  }
}

const operation = async (page: Page, address: string, summary: string): Promise<Locator> => {
  await page.goto(address)
  await page.reload()
  const heading = page.getByRole("heading", { name: summary, exact: true })
  await heading.scrollIntoViewIfNeeded()
  return page.locator("section", { has: heading }).last()
}

/** Opens the window with the request form. Returns the first field of this name and the send button. */
const tried = async (page: Page, section: Locator, field: string, method = "get") => {
  await section.getByRole("button", { name: "Test Request" }).click()
  const client = page.getByRole("dialog")
  return {
    client,
    value: client.getByRole("textbox", { name: field, exact: true }).first(),
    send: client.getByRole("button", { name: new RegExp(`^Send ${method} request`, "i") })
  }
}

/** The service accepts the example of a new topic unchanged. The visitor enters only a test key. */
const createsTopic = async (page: Page, apiRoot: string, testKey: string, name: string) => {
  const section = await operation(page, `${apiRoot}/docs#tag/topics/POST/partner/v1/topics`, "Create a topic")
  const { client, send, value } = await tried(page, section, "Value", "post")
  await value.fill(testKey)
  const answered = page.waitForResponse((one) => one.url().endsWith("/topics") && one.request().method() === "POST")
  await send.click()
  const answer = await answered
  const { data } = await answer.json()
  const statuses = data.results.map(({ status }: { readonly status: string }) => status)
  assert.deepStrictEqual([answer.status(), statuses], [201, ["sent"]])
  await client.getByText(`"${data.topic_id}"`).waitFor()
  await picture(page, name)
}

/** Checks that an operation for dashboards sends a Bearer token and no API key, in the example and in the request. */
const asksForToken = async (page: Page, apiRoot: string) => {
  const section = await operation(page, `${apiRoot}/docs#tag/api-keys/GET/partner/v1/api-keys`, "List API keys")
  const shown = await snippet(section)
  assert.match(shown, /Authorization: Bearer/)
  assert.notMatch(shown, /X-Api-Key/)
  const { send, value } = await tried(page, section, "Bearer Token")
  await picture(page, "6-token")
  await value.fill("no-token")
  const answered = page.waitForResponse((one) => one.url().endsWith("/api-keys"))
  await send.click()
  const answer = await answered
  // Wait for running requests. Opening the next page would abort running requests, and an aborted request counts as a
  // failure.
  await answer.finished()
  const headers = await answer.request().allHeaders()
  assert.deepStrictEqual([headers["authorization"], headers["x-api-key"]], ["Bearer no-token", undefined])
}

/**
 * Checks that examples contain neither an idempotency key nor a cursor. A copied idempotency key would return the
 * response of another request, and a cursor is valid for one list only.
 */
const showsNothingToCopy = async (page: Page, apiRoot: string) => {
  const creation = await operation(page, `${apiRoot}/docs#tag/topics/POST/partner/v1/topics`, "Create a topic")
  const created = await snippet(creation)
  assert.match(created, /--request POST/)
  assert.notMatch(created, /Idempotency-Key/i)
  const list = await operation(page, `${apiRoot}/docs#tag/topics/GET/partner/v1/topics`, "List topics")
  const listed = await snippet(list)
  assert.match(listed, /limit=20/)
  assert.notMatch(listed, /cursor/)
}

/** Checks the example of the event stream. Without `-N`, curl would buffer events until it has a block of output. */
const showsStream = async (page: Page, apiRoot: string) => {
  const address = `${apiRoot}/docs#tag/events/GET/partner/v1/events/stream`
  const shown = await snippet(await operation(page, address, "Stream events"))
  assert.include(shown, `curl -N '${apiRoot}/partner/v1/events/stream'`)
  assert.include(shown, "--header 'X-Api-Key: YOUR_SECRET_TOKEN'")
}

const snippet = (section: Locator) => section.locator("pre", { hasText: "curl" }).first().innerText()

/** Checks that each operation of the OpenAPI document has a heading. */
const showsAll = async (page: Page, apiRoot: string) => {
  const description: OpenApiDocument = await (await page.request.get(`${apiRoot}/openapi.json`)).json()
  const summaries = Object.values(description.paths).flatMap((path) =>
    Object.values(path).map(({ summary = "" }) => summary)
  )
  assert.isAbove(summaries.length, 7)
  for (const summary of summaries) {
    await page.getByRole("heading", { name: summary, exact: true }).first().waitFor({ state: "attached" })
  }
}

/** Collects browser errors and warnings, and blocks and records requests to other servers. */
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
    // The test sends a wrong key and token on purpose.
    if (/status of 401/.test(message.text()) && /\/(personas|api-keys)$/.test(message.location().url)) return
    if (["error", "warning"].includes(message.type())) complaints.push(`console ${message.type()}: ${message.text()}`)
  })
  return complaints
}

const picture = async (page: Page, name: string) => {
  if (pictures === null) return
  mkdirSync(pictures, { recursive: true })
  // Wait until the fade-in animation ends.
  await page.waitForTimeout(800)
  await page.screenshot({ path: join(pictures, `${name}.png`) })
}
