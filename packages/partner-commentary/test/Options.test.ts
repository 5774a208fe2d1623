/** Tests that an invalid option immediately throws an error, whose message is one sentence with the option's name. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { describe, expect, it, onTestFinished } from "vitest"
import { PartnerCommentaryError, partnerCommentary } from "../src/PartnerCommentary.ts"
import { postgres } from "../src/postgres/Postgres.ts"
import { smtp } from "../src/smtp/Smtp.ts"
import { sqlite } from "../src/sqlite/Sqlite.ts"

const development = { url: "http://127.0.0.1:3000/commentary", secret: "32 characters or more, kept elsewhere" }

const production = {
  ...development,
  url: "https://app.example/commentary",
  database: sqlite(":memory:"),
  mail: () => Promise.resolve(),
  generator: () => "A commentary."
}

const catchError = (make: () => unknown): PartnerCommentaryError => {
  try {
    make()
  } catch (error) {
    if (error instanceof PartnerCommentaryError) return error
    throw error
  }
  throw new Error("nothing was thrown")
}

const fieldOf = ({ details }: PartnerCommentaryError) => (details as { readonly field?: string }).field

const server = { url: "https://api.example/v1", model: "small" }

const wrong: ReadonlyArray<readonly [options: Readonly<Record<string, unknown>>, sentence: string]> = [
  [
    { url: undefined },
    "The option url must be an http:// or https:// address without query, fragment and user, such as https://app.example/commentary."
  ],
  [
    { url: "app.example" },
    "The option url must be an http:// or https:// address without query, fragment and user, such as https://app.example/commentary."
  ],
  [
    { url: "https://app.example/partner" },
    "The option url must be an address whose path is none of the service's own."
  ],
  [
    { secret: undefined },
    "The option secret must have 32 characters or more: a long random text, the same in every process."
  ],
  [
    { secret: "short" },
    "The option secret must have 32 characters or more: a long random text, the same in every process."
  ],
  [{ secret: [] }, "The option secret must have 32 characters or more: a long random text, the same in every process."],
  [{ database: "commentary.db" }, 'The option database must be sqlite("…") or postgres("…") of this package.'],
  [
    { mail: "smtp://mail.example" },
    "The option mail must be a function that sends a mail, or smtp(…) of this package."
  ],
  [{ mail: { send: () => {} } }, "The option mail.send is no option of this version."],
  [
    { generator: "gpt" },
    "The option generator must be a function that writes a text, or { url, model, apiKey } of a server."
  ],
  [{ generator: { ...server, model: "" } }, "The option generator.model must name a model of the server."],
  [{ generator: { ...server, apiKey: 7 } }, "The option generator.apiKey must be a text."],
  [{ generator: { ...server, key: "sk" } }, "The option generator.key is no option of this version."],
  [{ speech: server }, "The option speech.voice is required."],
  [
    { mediaStorage: { folder: "media", url: "media" } },
    "The option mediaStorage.url must be an http:// or https:// address."
  ],
  [{ identity: { jwksUrl: "https://login.example/jwks", audience: "us" } }, "The option identity.issuer is required."],
  [{ personas: { find: () => null } }, "The option personas must have the functions find and licensed."],
  [{ organizations: {} }, "The option organizations must have the function find."],
  [{ webhooks: { allowPrivate: "yes" } }, "The option webhooks.allowPrivate must be true or false."],
  [{ logger: { info: () => {} } }, "The option logger must have the methods debug, info, warn and error."],
  [
    { policy: { responseWindow: "two days" } },
    'The option policy.responseWindow must be a duration such as "48 hours", or milliseconds.'
  ],
  [
    { policy: { webhooks: { retries: ["soon"] } } },
    'The option policy.webhooks.retries[0] must be a duration such as "48 hours", or milliseconds.'
  ],
  [{ policy: { maxDrafts: -1 } }, "The option policy.maxDrafts must be a whole number, 0 or more."],
  [{ policy: { webhooks: 7 } }, "The option policy.webhooks must be an object."],
  [{ policy: { webhooks: { retries: "1 hour" } } }, "The option policy.webhooks.retries must be an array."],
  [{ policy: { webhooks: { sources: [7] } } }, "The option policy.webhooks.sources[0] must be a string."],
  [{ workers: { mails: "many" } }, "The option workers.mails must be a whole number, 0 or more."],
  [{ policy: { window: 1 } }, "The option policy.window is no option of this version."],
  [{ workers: "no" }, "The option workers must be true, false or an object."],
  [
    { trustedProxies: ["proxy"] },
    'The option trustedProxies must list addresses and networks, such as ["10.0.0.0/8"].'
  ],
  [{ databse: sqlite(":memory:") }, "The option databse is no option of this version."]
]

describe("Options of partnerCommentary", () => {
  it.each(wrong)("partnerCommentary rejects the options %o", (options, sentence) => {
    const error = catchError(() => partnerCommentary({ ...production, ...options } as never))
    expect([error.code, error.message]).toEqual(["invalid_option", sentence])
    expect(sentence).toContain(`The option ${fieldOf(error)} `)
  })

  const options = Object.keys({
    ...production,
    ...{ development: 0, speech: 0, mediaStorage: 0, identity: 0, personas: 0, organizations: 0, webhooks: 0 },
    ...{ logger: 0, policy: 0, workers: 0, trustedProxies: 0 }
  })
  const junk = [
    null,
    0,
    -1,
    Number.NaN,
    true,
    "",
    "junk",
    [],
    [null],
    [undefined],
    {},
    { junk: null },
    () => null,
    Symbol("s")
  ]

  it.each(options)(
    "for any value of the option %s, partnerCommentary accepts the value or throws an error that names the option",
    async (option) => {
      for (const value of junk) {
        const options = { ...production, logger: console, [option]: value }
        const made = Result.try({
          try: () => partnerCommentary(options as never),
          catch: (error) => error as PartnerCommentaryError
        })
        if (Result.isFailure(made)) {
          expect(made.failure).toBeInstanceOf(PartnerCommentaryError)
          expect(made.failure.message).toMatch(new RegExp(`^The option ${option}[. [].*[^.]\\.$`))
        } else {
          await made.success.start()
          await made.success.stop()
        }
      }
    }
  )

  it.each([undefined, null, "https://app.example"])("partnerCommentary rejects %o instead of options", (options) => {
    expect(catchError(() => partnerCommentary(options as never)).message).toBe("The option url is required.")
  })

  it.each(["database", "mail", "generator"] as const)(
    "partnerCommentary requires the option %s outside development",
    (name) => {
      const { [name]: _, ...rest } = production
      expect(catchError(() => partnerCommentary(rest)).message).toContain(
        `The option ${name} must be given outside development: `
      )
      expect(partnerCommentary({ ...rest, development: true })).toHaveProperty("start")
    }
  )

  it("in development, partnerCommentary needs only a secret and an address of this machine", () => {
    expect(partnerCommentary(development)).toHaveProperty("start")
    expect(catchError(() => partnerCommentary({ ...development, development: false })).message).toContain(
      "The option database"
    )
  })

  it("partnerCommentary publishes the source addresses of webhooks that the policy lists", async () => {
    const policy = { webhooks: { sources: ["203.0.113.7"] } }
    const pc = partnerCommentary({ ...production, policy })
    onTestFinished(pc.stop)
    const answer = await pc.fetch(new Request("https://app.example/.well-known/webhook-sources"))
    expect(await answer.json()).toMatchObject({ data: { addresses: policy.webhooks.sources } })
  })

  it("partnerCommentary accepts an Effect layer for every port", () => {
    const never = Layer.effectContext(Effect.never)
    const ports = ["database", "mail", "generator", "speech", "mediaStorage", "identity", "personas", "organizations"]
    const layers = Object.fromEntries([...ports, "webhooks"].map((name) => [name, never]))
    expect(partnerCommentary({ ...production, ...layers })).toHaveProperty("layer")
  })
})

it.each([
  [() => sqlite(undefined as never), "database"],
  [() => sqlite(""), "database"],
  [() => sqlite(7 as never), "database"],
  [() => postgres(undefined as never), "database"],
  [() => postgres(null as never), "database"],
  [() => smtp(undefined as never, { from: "Desk <desk@app.example>" }), "mail"],
  [() => smtp("smtp://mail.example", undefined as never), "mail.from"],
  [() => smtp("smtp://mail.example", { from: 7 as never }), "mail.from"]
] as const)("%s throws an error message that starts with the option's name", (make, option) => {
  expect(catchError(make).message).toMatch(new RegExp(`^The option ${option} .*[^.]\\.$`))
})

it("sqlite rejects a connection of better-sqlite3, and the error message says what to pass", () => {
  const database = { name: "app.db", open: true, inTransaction: false, prepare: () => {}, pragma: () => {} }
  expect(catchError(() => sqlite(database as never)).message).toBe(
    "The option database is a connection of better-sqlite3 or another library: pass its file, such as sqlite(database.name)."
  )
})

const from = "Desk <desk@app.example>"
const pool = { connect: () => Promise.reject(new Error("none")), query: () => Promise.reject(new Error("none")) }

it.each([
  [() => sqlite(":memory:", { migrates: false } as never), "database.migrates is no option of this version"],
  [() => sqlite(":memory:", { migrate: "no" } as never), "database.migrate must be true or false"],
  [() => sqlite(":memory:", null as never), "database must have its settings in an object"],
  [() => postgres(pool, { schmea: "ours" } as never), "database.schmea is no option of this version"],
  [() => postgres(pool, { schema: 7 } as never), "database.schema must have 1 to 63 bytes"],
  [() => postgres(pool, { poolSize: 3 } as never), "database.poolSize is no option of this version"],
  [() => postgres("postgres://db.example/app", { poolSize: 0 }), "database.poolSize must be a whole number, 1 or more"],
  [() => smtp("smtp://mail.example", { from, pool: 3 } as never), "mail.pool is no option of this version"],
  [() => smtp("smtp://mail.example", { from, connections: "16" } as never), "mail.connections must be a whole number"],
  [() => smtp("smtp://mail.example?foo=1", { from }), "mail must leave out the unknown parameter foo; "]
] as const)("the error of %s names the unknown or invalid setting", (make, sentence) => {
  expect(catchError(make).message).toContain(`The option ${sentence}`)
})

it("postgres and smtp reject an invalid address with an error that names the option and hides the password", () => {
  const wrongs = [
    catchError(() => postgres("mysql://user:hidden@db.example/app")),
    catchError(() => postgres("postgres://db.example/app", { directUrl: "hidden" })),
    catchError(() => smtp("https://user:hidden@mail.example", { from: "Desk <desk@app.example>" })),
    catchError(() => smtp("smtp://user:hidden@mail.example", { from: "desk" }))
  ]
  expect(wrongs.map(fieldOf)).toEqual(["database", "database.directUrl", "mail", "mail.from"])
  for (const { message } of wrongs) expect(message).not.toContain("hidden")
})
