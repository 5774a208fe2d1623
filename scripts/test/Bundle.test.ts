/** Tests which program the command line runs in a checkout: the bundle or its sources. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as SourceDigest from "../packing/SourceDigest.ts"
import { repositoryRoot } from "../Repository.ts"

const say = (text: string) => `process.stdout.write(${JSON.stringify(text)})\n`

describe("the command line in a checkout", () => {
  let checkout = ""
  const host = () => join(checkout, "hosts/node")
  const main = () => join(host(), "src/main.ts")
  const imported = () => join(checkout, "packages/core/src/Imported.ts")
  const started = () =>
    execFileSync(process.execPath, [join(host(), "bin/partner-commentary.js")], { encoding: "utf8" })

  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), "checkout-"))
    for (const folder of ["hosts/node/bundle", "hosts/node/src", "packages/core/src"]) {
      mkdirSync(join(checkout, folder), { recursive: true })
    }
    cpSync(join(repositoryRoot, "hosts/node/bin"), join(host(), "bin"), { recursive: true })
    writeFileSync(join(host(), "package.json"), '{ "type": "module" }')
    writeFileSync(join(host(), "bundle/main.mjs"), say("bundle"))
    writeFileSync(main(), say("sources"))
    writeFileSync(imported(), say("imported"))
    SourceDigest.writeSourceDigest(checkout, host(), ["packages/core/src/Imported.ts", "hosts/node/src/main.ts"])
  })
  afterEach(() => rmSync(checkout, { recursive: true, force: true }))

  it("the command line in a checkout runs the bundle if only the times of the sources changed, as in a copy", () => {
    for (const file of [main(), imported()]) utimesSync(file, 1_000_000_000, 1_000_000_000)
    expect(started()).toBe("bundle")
  })

  it("the command line in a checkout runs the sources if a source was edited, even with the same size and time", () => {
    const time = new Date()
    utimesSync(imported(), time, time)
    SourceDigest.writeSourceDigest(checkout, host(), ["packages/core/src/Imported.ts", "hosts/node/src/main.ts"])
    writeFileSync(imported(), say("IMPORTED"))
    utimesSync(imported(), time, time)
    expect(started()).toBe("sources")
  })

  it("the command line in a checkout runs the sources if a source was removed, or if the bundle does not list its sources", () => {
    rmSync(imported())
    expect(started()).toBe("sources")
    rmSync(join(host(), "bundle/sources.json"))
    expect(started()).toBe("sources")
  })

  it("the command line runs the bundle if there are no sources, as in a published package and in an image", () => {
    rmSync(join(host(), "src"), { recursive: true })
    rmSync(join(host(), "bundle/sources.json"))
    expect(started()).toBe("bundle")
  })
})
