/** Tests that the start of a service loads only the adapters that its options choose and that the start needs. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"

/** Starts a service in a separate process, which records every module that is loaded. */
const program = `
import { registerHooks } from "node:module"
const seen = new Set()
registerHooks({
  resolve: (specifier, context, next) => {
    const found = next(specifier, context)
    seen.add(found.url)
    return found
  }
})
const { partnerCommentary } = await import("partner-commentary")
const { sqlite } = await import("partner-commentary/sqlite")
const pc = partnerCommentary({
  url: "https://app.example/commentary",
  secret: "a secret of the tests, and long enough",
  database: sqlite(":memory:"),
  mail: () => {},
  generator: () => "A commentary.",
  ...JSON.parse(process.env.OPTIONS)
})
await pc.start()
await pc.organizations.create({ name: "Courtside" })
await pc.stop()
process.stdout.write(JSON.stringify([...seen]))
`

const heavy = {
  "a mail server": /nodemailer|postal-mime|adapters\/smtp/,
  "an OpenAI-compatible server": /OpenAi/,
  "a webhook client": /adapters\/webhook/,
  Postgres: /sql-pg|\/node_modules\/pg\/|adapters\/postgres/,
  "a bucket": /aws4fetch|adapters\/storage/,
  "an identity provider": /\/jose\/|adapters\/identity/,
  "the explorer": /scalar|ExplorerScript/,
  Lambda: /partner-commentary\/src\/lambda/,
  "Effect's platform for Node": /@effect\/platform-node\/|redis|undici/
}

const loadedBy = async (options: object) => {
  const env = { ...process.env, NODE_OPTIONS: "", OPTIONS: JSON.stringify(options) }
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname,
    env
  })
  const urls: ReadonlyArray<string> = JSON.parse(stdout)
  return Object.entries(heavy).flatMap(([name, pattern]) => (urls.some((url) => pattern.test(url)) ? [name] : []))
}

it("a service on SQLite loads no large adapter if the application passes functions for mails and drafts", async () => {
  expect(await loadedBy({})).toEqual([])
})

it("the start loads an identity provider's adapter, but no generator before the first draft", async () => {
  const generator = { url: "https://api.example/v1", model: "small" }
  const identity = { jwksUrl: "https://login.example/jwks", issuer: "login", audience: "us" }
  expect(await loadedBy({ generator, identity })).toEqual(["an identity provider"])
})
