/**
 * Runs the example tests for a partner's application: with vitest, with jest's globals, and with Node's own runner.
 * `scripts/test-long/Packages.test.ts` runs jest itself, in a project that depends on jest.
 */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it, test } from "vitest"
import "../testing/with-vitest.ts"

// vitest has the same functions as jest, but does not define them as globals.
Object.assign(globalThis, { afterEach, beforeEach, describe, expect, test })
await describe("vitest runs the jest example with jest's globals", async () => {
  await import("../testing/with-jest.ts")
})

const at = (path: string) => join(import.meta.dirname, "../..", path)

it.each([
  ["with-node-test", 2],
  ["embedded", 1]
])("Node's own test runner runs the example %s without other dependencies", async (name, count) => {
  const runner = promisify(execFile)(
    process.execPath,
    ["--test", "--test-reporter=tap", at(`examples/testing/${name}.ts`)],
    {
      // If NODE_TEST_CONTEXT were set, the nested test runner would report to the outer test runner.
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, NODE_OPTIONS: "" }
    }
  )
  const { stdout } = await runner
  expect(stdout).toMatch(new RegExp(`^# pass ${count}$`, "m"))
  expect(stdout).toMatch(/^# fail 0$/m)
})

it("the README of hosts/test shows the jest configuration that the tests of the packages use", () => {
  const config = readFileSync(at("examples/testing/jest.config.json"), "utf8")
  expect(readFileSync(at("hosts/test/README.md"), "utf8")).toContain(`\`\`\`json\n${config}\`\`\`\n`)
  expect(Object.keys(JSON.parse(config))).toEqual(["extensionsToTreatAsEsm", "transform"])
})

it("the README of hosts/test contains the code of the first example", () => {
  const source = readFileSync(at("examples/testing/with-vitest.ts"), "utf8")
  const region = /^\/\/ #region vitest\n([\s\S]+?)^\/\/ #endregion$/m.exec(source)?.[1] ?? ""
  expect(region).not.toBe("")
  expect(readFileSync(at("hosts/test/README.md"), "utf8")).toContain(`\`\`\`ts\n${region}\`\`\`\n`)
})
