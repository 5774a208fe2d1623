/**
 * Tests a partner's application with jest. Hooks create and dispose of one service in memory for each test.
 *
 * All files are ESM in TypeScript. jest supports such files only with two settings in `jest.config.json` beside this
 * file. `extensionsToTreatAsEsm` contains `".ts"`, and a transform removes the types, here `@swc/jest`.
 *
 * Install the packages with `npm install --save-dev jest @swc/core @swc/jest`. In a package with `"type": "module"`,
 * run the tests with `node --experimental-vm-modules node_modules/jest/bin/jest.js`.
 */
import { TestPartnerCommentary } from "@partner-commentary/test"
import { Newsroom } from "./Newsroom.ts"

let pc: TestPartnerCommentary

beforeEach(async () => {
  pc = await TestPartnerCommentary.make({ now: "2026-02-01T12:00:00Z" })
})

afterEach(async () => {
  await pc.dispose()
})

describe("Newsroom", () => {
  test("if a creator declines, the newsroom lists the creator as missed", async () => {
    const url = "https://newsroom.example/commentary"
    const { organization, personas } = await pc.seed()
    const client = pc.client(organization)
    const { secret } = await client.webhooks.create({ url, events: ["commentary.failed"] })
    const newsroom = new Newsroom({ client, webhook: { url, secret }, now: () => pc.clock.now })
    pc.webhooks.handle(url, newsroom.receive)

    await newsroom.ask("Will the Lakers make the play-offs?")
    await pc.creator(personas[0]).decline("On holiday")
    expect(newsroom.missed).toEqual(["Ada Vance (declined)"])
  })
})

// Declares the part of `@types/jest` that this file uses. Remove these lines if `@types/jest` is installed.
declare const describe: (name: string, body: () => void) => void
declare const test: (name: string, body: () => Promise<void>) => void
declare const beforeEach: (body: () => Promise<void>) => void
declare const afterEach: (body: () => Promise<void>) => void
declare const expect: (value: unknown) => { readonly toEqual: (expected: unknown) => void }
