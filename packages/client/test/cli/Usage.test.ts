/** Tests the help texts, the exit codes, and the one-sentence error for each wrong use of the command line. */
import { expect, it } from "vitest"
import { makeJsonResponse } from "../ScriptedService.ts"
import { startCommand } from "./CommandLine.ts"

const key = "pk_test_secretsecret"
const environment = { PARTNER_COMMENTARY_API_KEY: key, PARTNER_COMMENTARY_BASE_URL: "https://api.example" }
const hook = ["--forward-to", "http://localhost:3000/hook"]

it.each([
  [["--help"], /^Usage: partner-commentary-client COMMAND\n\n {2}listen --forward-to URL .*\n {2}trigger EVENT /],
  [
    ["listen", "--help"],
    /^Usage: partner-commentary-client listen --forward-to URL \[FLAGS\][\s\S]*--live[\s\S]*--print-json/
  ],
  [["trigger", "nothing", "-h"], /creator\.approved, partner\.approved, commentary\.failed[\s\S]*--reason REASON/],
  [["--version"], /^\d+\.\d+\.\d+$/]
])("the command %j prints to stdout and exits with 0", async (args, text) => {
  const { ended, stderr, stdout } = startCommand(args)
  expect([await ended, stderr]).toEqual([0, []])
  expect(stdout.join("\n")).toMatch(text)
})

it.each([
  [[], "Name a command: listen or trigger. See partner-commentary-client --help."],
  [["lisen"], 'There is no command "lisen". See partner-commentary-client --help.'],
  [["constructor"], 'There is no command "constructor". See partner-commentary-client --help.'],
  [["listen"], "--forward-to is missing."],
  [["listen", "--forward-to"], "--forward-to needs a value: URL."],
  [["listen", "--forward-to", "--live"], "--forward-to needs a value: URL."],
  [["listen", "--forward-to="], "--forward-to needs a value: URL."],
  [["listen", ...hook, ...hook], "--forward-to is given twice."],
  [["listen", ...hook, "--live=yes"], "--live takes no value."],
  [["listen", ...hook, "--port", "1"], "There is no flag --port."],
  [["listen", ...hook, "-x"], "There is no flag -x."],
  [["listen", ...hook, "extra"], 'Unexpected argument: "extra".'],
  [["listen", "--forward-to", "localhost:3000"], "--forward-to must be an address without user and password, such as"],
  [["listen", "--forward-to", "ftp://localhost"], "--forward-to must be an address without user and password, such as"],
  [["listen", "--forward-to", "http://a:b@localhost"], "--forward-to must be an address without user and password"],
  [["listen", ...hook, "--events", "creator.approve"], "--events must list some of creator.approved, partner.approved"],
  [["listen", ...hook, "--secret", "short"], "--secret must be whsec_ with 24 to 64 bytes in base64, or 32 to 256"],
  [["listen", ...hook, "--secret", "whsec_!"], "--secret must be whsec_ with 24 to 64 bytes in base64, or 32 to 256"],
  [["listen", ...hook, "--api-key", "sk_test_a"], "The key must begin with pk_test_ or pk_live_."],
  [["listen", ...hook, "--base-url", "api.example"], "baseUrl must be the service's address, such as"],
  [
    ["listen", ...hook, "--api-key", "pk_live_a"],
    "This is a live key: use one that begins with pk_test_, or pass --live."
  ],
  [
    ["trigger"],
    "The event type is missing: one of creator.approved, partner.approved, commentary.failed, topic.completed."
  ],
  [["trigger", "media.ready"], "media.ready cannot be played: the test environment makes no audio and video."],
  [["trigger", "creator.aproved"], "The event type must be one of creator.approved, partner.approved,"],
  [["trigger", "toString"], "The event type must be one of creator.approved, partner.approved,"],
  [
    ["trigger", "commentary.failed", "--reason", "lost"],
    "--reason must be one of declined, expired, generation_failed,"
  ],
  [["trigger", "creator.approved", "--reason", "declined"], "--reason is for commentary.failed only."],
  [["trigger", "creator.approved", "--live"], "There is no flag --live."],
  [["trigger", "creator.approved", "--api-key", "pk_live_a"], "trigger needs a key that begins with pk_test_: a live"]
])("the command %j sends no request, prints one sentence and exits with 2", async (args, text) => {
  const { ended, stderr, stdout } = startCommand(args, { environment })
  expect([await ended, stdout, stderr.length]).toEqual([2, [], 1])
  expect(stderr[0]?.startsWith(text), stderr[0]).toBe(true)
  expect(stderr[0]).toMatch(/ See partner-commentary-client( listen| trigger)? --help\.$/)
})

it("the error about a missing key or address names the environment variable and the flag", async () => {
  const without = startCommand(["listen", ...hook], { environment: { PARTNER_COMMENTARY_API_KEY: key } })
  expect(await without.ended).toBe(2)
  expect(without.stderr[0]).toMatch(/^PARTNER_COMMENTARY_BASE_URL is missing: set it, or pass --base-url\./)
  const empty = startCommand(["trigger", "creator.approved"], {
    environment: { ...environment, PARTNER_COMMENTARY_API_KEY: "" }
  })
  expect(await empty.ended).toBe(2)
  expect(empty.stderr[0]).toMatch(/^PARTNER_COMMENTARY_API_KEY is missing: set it, or pass --api-key\./)
})

it("after a refusal by the service, the command exits with 1 and prints one sentence with the error code but without the key", async () => {
  const refused = makeJsonResponse(
    401,
    { success: false, error: { code: "unauthorized", message: "The API key is missing or invalid." } },
    { "x-request-id": "r-1" }
  )
  for (const args of [
    ["listen", ...hook],
    ["trigger", "creator.approved"]
  ]) {
    const { ended, stderr, stdout } = startCommand(args, { environment, fetch: async () => refused() as Response })
    expect([await ended, stdout]).toEqual([1, []])
    expect(stderr).toEqual(["The service refused: The API key is missing or invalid. (unauthorized, request r-1)"])
  }
})
