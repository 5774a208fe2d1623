/** Tests that the harness refuses unknown and invalid options with a sentence, instead of ignoring them. */
import { TestPartnerCommentary, TestPartnerCommentaryError } from "@partner-commentary/test"
import { afterEach, beforeEach, expect, it } from "vitest"

let pc: TestPartnerCommentary
beforeEach(async () => {
  pc = await TestPartnerCommentary.make()
})
afterEach(() => pc.dispose())

/** Returns the message of the error that the call throws or rejects with. */
const refusal = async (call: () => unknown): Promise<string> => {
  const error = await (async () => call())().catch((error: unknown) => error)
  expect(error).toBeInstanceOf(TestPartnerCommentaryError)
  return (error as TestPartnerCommentaryError).message
}

it.each([
  [{ polcy: {} }, "The option polcy is no option of this version."],
  [{ policy: { responseWindw: 1 } }, "The option policy.responseWindw is no option of this version."],
  [
    { policy: { responseWindow: "72 hourz" } },
    'The option policy.responseWindow must be a duration such as "48 hours", or milliseconds.'
  ],
  [{ policy: "strict" }, "The option policy must be an object."],
  [{ media: ["smell"] }, 'The option media must list "audio" or "video".'],
  [{ media: "audio" }, 'The option media must list "audio" or "video".'],
  [{ log: "console" }, "The option log must be a function."],
  ["https://commentary.example", "The options must be an object."]
])("make refuses the options %o", async (options, message) => {
  expect(await refusal(() => TestPartnerCommentary.make(options as never))).toBe(message)
})

it.each([
  [{ persona: ["x"] }, "The option persona is no option of this version."],
  [{ limits: { burst_per_minut: 1 } }, "The option limits.burst_per_minut is no option of this version."],
  [{ limits: { burst_per_minute: "5" } }, "The option limits.burst_per_minute must be a whole number, 0 or more."],
  [{ limits: "none" }, 'The option limits must be "plan" or an object.'],
  [{ personas: [""] }, "The option personas[0] must be a name of 1 to 200 characters in one line."],
  [{ personas: "Ada" }, "The option personas must be an array."],
  [{ personas: [{ name: "Ada", boi: "" }] }, "The option personas[0].boi is no option of this version."],
  [
    { personas: [{ name: "Ada", creator: { email: "ada@creators.example" } }] },
    "The option personas[0].creator.name is required."
  ],
  [{ plan: "gold" }, "The option plan must be one of standard, premium."],
  [{ contactEmail: "desk" }, "The option contactEmail must be an email address or null."]
])("seed refuses the options %o", async (options, message) => {
  expect(await refusal(() => pc.seed(options as never))).toBe(message)
})

it("key refuses an unknown option and an unknown scope", async () => {
  const { organization } = await pc.seed()
  expect(await refusal(() => pc.key(organization, { scope: [] } as never))).toBe(
    "The option scope is no option of this version."
  )
  expect(await refusal(() => pc.key(organization, { scopes: ["topics"] } as never))).toContain("The option scopes must")
})

it.each([9999, 199, 200.5, "nope", { status: 503, retryafter: "60" }, { retryAfter: "60" }])(
  "answerNext refuses the response %o",
  async (answer) => {
    expect(await refusal(() => pc.webhooks.answerNext(200, answer as never))).toMatch(/^The response answerNext\[1\]/)
  }
)

it("failNext and refuseNext refuse a misspelled option", async () => {
  const wrong = { permanant: true } as never
  expect(await refusal(() => pc.generator.failNext(wrong))).toContain("permanant is no option of this version")
  expect(await refusal(() => pc.mailbox.refuseNext(wrong))).toContain("permanant is no option of this version")
})

it.each(["", " \n ", "x".repeat(5001), 7])("writeNext refuses a text that no generator may return", async (text) => {
  expect(await refusal(() => pc.generator.writeNext("A draft.", text as never))).toBe(
    "The text writeNext[1] must be a text of 1 to 5000 characters without surrounding space, as a generator returns it."
  )
})

it("a policy may contain durations as text, and parts of nested settings", async () => {
  await using own = await TestPartnerCommentary.make({
    policy: { responseWindow: "2 hours", webhooks: { retries: ["1 minute"] }, maxDrafts: 2 }
  })
  const { organization, personas } = await own.seed()
  const client = own.client(organization)
  const asked = { content: "Will the Lakers make the play-offs?", persona_ids: [personas[0].id] }
  const { topic_id } = await client.topics.create(asked)
  await own.clock.advance("2 hours")
  expect((await client.topics.get(topic_id)).commentaries[0]?.failure?.reason).toBe("expired")
})
