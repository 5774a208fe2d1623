/** Tests that a use case rejects an invalid option with one sentence, and that the rejected call has no effect. */
import { expect, it, onTestFinished } from "vitest"
import { type PartnerCommentaryError, partnerCommentary } from "../src/PartnerCommentary.ts"
import { sqlite } from "../src/sqlite/Sqlite.ts"

const opened = () => {
  const pc = partnerCommentary({
    url: "https://app.example/commentary",
    secret: "32 characters or more, kept elsewhere",
    database: sqlite(":memory:"),
    mail: () => {},
    generator: () => "A commentary.",
    workers: false
  })
  onTestFinished(pc.stop)
  return pc
}

/**
 * Returns the code and the message of the error with which the call rejects. The call must return a promise and not
 * throw.
 */
const sentence = (call: () => Promise<unknown>): Promise<string> =>
  call().then(
    () => "nothing was refused",
    ({ code, message }: PartnerCommentaryError) => `${code}: ${message}`
  )

it.each([
  [{ tx: {} }, "invalid_option: The option tx is unknown beside db: pass { db }."],
  [{ connect: 1, query: 1 }, "invalid_option: The option connect is unknown beside db: pass { db }."],
  [null, "invalid_option: The option db must be passed as { db }."],
  [7, "invalid_option: The option db must be passed as { db }."]
])(
  "a use case rejects %o instead of { db }, because the call would write outside of the transaction",
  async (given, right) => {
    const pc = opened()
    expect(await sentence(() => pc.organizations.create({ name: "Courtside" }, given as never))).toBe(right)
    expect(await pc.organizations.list()).toEqual([])
  }
)

it.each([
  [{ dryRun: true }, "dryRun is no option of this version"],
  [{ dry_run: "yes" }, "dry_run must be true or false"],
  [null, "body must be an object"]
])("purge rejects the options %o, because the call would delete data", async (given, right) => {
  const pc = opened()
  expect(await sentence(() => pc.operations.purge(given as never))).toBe(`invalid_request: Invalid request: ${right}.`)
})

it.each([{ timeout: "soon" }, { timeout: -1 }, { timeout: Number.NaN }])(
  "drain rejects the options %o",
  async (given) => {
    const pc = opened()
    const right = "invalid_request: Invalid request: timeout must be a positive number of milliseconds."
    expect(await sentence(() => pc.operations.drain(given as never))).toBe(right)
    expect(await sentence(() => pc.operations.drain(null as never))).toContain("must be an object")
  }
)
