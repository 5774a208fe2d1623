/**
 * Checks the accessibility of every page: headings, names of fields and buttons, colour contrast, target sizes, layout
 * on the narrowest phone, and keyboard navigation.
 */
import { mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import type { Page } from "playwright-core"
import { checkFocusRing, findLayoutFaults } from "./LayoutFaults.ts"
import type { BrowserVisitor } from "./Visitor.ts"

const narrowestWidth = 320

/**
 * If the environment variable `SCREENSHOTS` is set, screenshots of the checked pages are saved in this folder.
 */
const screenshotFolder = process.env["SCREENSHOTS"] === undefined ? null : join(tmpdir(), "creator-pages")

/** The screenshot's file name contains `name`. The browser tab must have the title `title`. */
export const checkPageAccessibility = async (
  visitor: BrowserVisitor,
  name: string,
  title: string,
  page: Page = visitor.page
) => {
  const { name: device, viewport } = visitor.device
  assert.strictEqual(await page.title(), `${title} · Partner Commentary`)
  for (const colorScheme of ["dark", "light"] as const) await takeScreenshot(page, `${name}-${device}`, colorScheme)
  const found: Array<string> = []
  const opened = await unfold(page)
  if (opened.includes(false)) await takeScreenshot(page, `${name}-unfolded-${device}`, "light")
  assert.notMatch(await page.locator("body").ariaSnapshot(), elementWithoutName)
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await page.evaluate(findLayoutFaults)).map((what) => `${colorScheme}: ${what}`))
  }
  found.push(...(await tabThrough(page)))
  await page.setViewportSize({ ...viewport, width: narrowestWidth })
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  if (width > narrowestWidth) found.push(`${width} pixels wide on a screen of ${narrowestWidth}`)
  await page.setViewportSize(viewport)
  await fold(page, opened)
  assert.deepStrictEqual(found, [], name)
}

/** Finds an interactive element without a name in the accessibility tree. */
const elementWithoutName = /^\s*- (textbox|button|link|img|checkbox)(:| \[|$)/m

const takeScreenshot = async (page: Page, name: string, colorScheme: "light" | "dark") => {
  if (screenshotFolder === null) return
  mkdirSync(screenshotFolder, { recursive: true })
  await page.emulateMedia({ colorScheme })
  await page.screenshot({
    path: join(screenshotFolder, `${name}-${colorScheme}.png`),
    fullPage: true,
    caret: "initial"
  })
}

/** Opens all details elements, and returns for each element whether it was open before. */
const unfold = (page: Page) =>
  page.locator("details").evaluateAll((all) =>
    all.map((each) => {
      const was = each.hasAttribute("open")
      each.setAttribute("open", "")
      return was
    })
  )

const fold = (page: Page, opened: ReadonlyArray<boolean>) =>
  page
    .locator("details")
    .evaluateAll((all, opened) => all.forEach((each, at) => void each.toggleAttribute("open", opened[at])), opened)

/** Moves through the page with Tab. Every interactive element must be reached in reading order and show its focus. */
const tabThrough = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const order = await page
    .locator("a[href], summary, textarea, button, input:not([type=hidden])")
    .evaluateAll((all) => all.map((each, at) => each.setAttribute("data-at", String(at))).length)
  for (let at = 0; at < order; at++) {
    await page.keyboard.press("Tab")
    for (const colorScheme of at === 0 ? (["dark", "light"] as const) : [null]) {
      if (colorScheme !== null) await page.emulateMedia({ colorScheme })
      const blemish = await page.evaluate(checkFocusRing, String(at))
      if (blemish !== null) found.push(`${colorScheme ?? "light"}: ${blemish}`)
    }
  }
  return found
}
