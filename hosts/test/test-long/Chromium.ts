/** Finds the machine's browser by its usual names. Defines two devices: a phone and a desktop. */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Browser, chromium } from "playwright-core"

export interface BrowserDevice {
  readonly name: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly isMobile: boolean
}

export const browserDevices: ReadonlyArray<BrowserDevice> = [
  { name: "phone", viewport: { width: 390, height: 844 }, isMobile: true },
  { name: "desktop", viewport: { width: 1280, height: 800 }, isMobile: false }
]

const quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update", "--disable-sync"]

export class Chromium extends Context.Service<Chromium, Browser>()("@partner-commentary/test/Chromium") {
  static readonly layer = Layer.effect(
    Chromium,
    Effect.acquireRelease(
      Effect.promise(() =>
        chromium.launch({
          executablePath: installed(),
          args: [...quiet, "--no-sandbox", "--disable-background-networking"]
        })
      ),
      (browser) => Effect.promise(() => browser.close())
    )
  )
}

const installed = (): string => {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
      const path = join(folder, name)
      try {
        accessSync(path, constants.X_OK)
        return path
      } catch {}
    }
  }
  throw new Error("these tests need Chromium: install it as chromium, chromium-browser or google-chrome")
}
