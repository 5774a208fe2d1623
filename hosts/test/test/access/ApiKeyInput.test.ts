/** Tests how dashboard requests are validated: one response lists every invalid field, and no key is created. */
import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { makeApiKeyCalls, validApiKeyBody } from "../support/ApiKeyCalls.ts"

const address = "must be an IPv4 or IPv6 address or a CIDR range, such as 203.0.113.7 or 2001:db8::/32"
const scope = "must be one of personas:read, topics:submit, topics:read, usage:read, webhooks:read, webhooks:write"

const wrong: ReadonlyArray<readonly [unknown, ReadonlyArray<readonly [field: string, constraint: string]>]> = [
  [
    {},
    [
      ["name", "is required"],
      ["scopes", "is required"]
    ]
  ],
  [{ ...validApiKeyBody, name: "" }, [["name", "must be 1 to 200 characters long"]]],
  [{ ...validApiKeyBody, name: "é".repeat(201) }, [["name", "must be 1 to 200 characters long"]]],
  [{ ...validApiKeyBody, name: " \u200b " }, [["name", "must hold something that can be read"]]],
  [{ ...validApiKeyBody, name: "a\nb" }, [["name", "must be one line, without control characters"]]],
  [{ ...validApiKeyBody, name: 7 }, [["name", "must be a string"]]],
  [{ ...validApiKeyBody, scopes: [] }, [["scopes", "must name at least one scope"]]],
  [{ ...validApiKeyBody, scopes: "topics:read" }, [["scopes", "must be an array"]]],
  ...[2, 7].map((count): (typeof wrong)[number] => [
    { ...validApiKeyBody, scopes: Array(count).fill("topics:read") },
    [["scopes", "must name each scope once at most"]]
  ]),
  [
    { ...validApiKeyBody, scopes: ["topics:write", "topics:read", "*", null] },
    [
      ["scopes[0]", scope],
      ["scopes[2]", scope],
      ["scopes[3]", scope]
    ]
  ],
  [{ ...validApiKeyBody, environment: "production" }, [["environment", "must be live or test"]]],
  [{ ...validApiKeyBody, environment: null }, [["environment", "must be live or test"]]],
  [
    {
      ...validApiKeyBody,
      ip_whitelist: ["203.0.113.7", "203.0.113.256", "10/8", "2001:db8::/129", "", "home", " 10.0.0.1"]
    },
    [1, 2, 3, 4, 5, 6].map((index) => [`ip_whitelist[${index}]`, address] as const)
  ],
  [
    { ...validApiKeyBody, ip_whitelist: Array.from({ length: 101 }, () => "10.0.0.1") },
    [["ip_whitelist", "must hold at most 100 addresses and ranges"]]
  ],
  [
    { ...validApiKeyBody, expires_at: "2027-01-30" },
    [["expires_at", "must be an ISO 8601 moment with a time zone, such as 2027-01-30T12:00:00Z"]]
  ],
  [
    { ...validApiKeyBody, expires_at: "9999-12-31T23:59:59-01:00" },
    [["expires_at", "must be an ISO 8601 moment with a time zone, such as 2027-01-30T12:00:00Z"]]
  ],
  [{ ...validApiKeyBody, expires_at: "2026-02-01T12:00:00Z" }, [["expires_at", "must lie in the future"]]],
  [{ ...validApiKeyBody, expires_at: 1_900_000_000 }, [["expires_at", "must be a string"]]],
  [
    { name: "\u0000", scopes: [], expires_at: "soon" },
    [
      ["name", "must be one line, without control characters"],
      ["scopes", "must name at least one scope"],
      ["expires_at", "must be an ISO 8601 moment with a time zone, such as 2027-01-30T12:00:00Z"]
    ]
  ],
  [[], [["body", "must be a JSON object"]]],
  ["{", [["body", "must be valid JSON"]]]
]

it.effect("a body that breaks several rules is refused, and the error lists every invalid field in a fixed order", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.parse("2026-02-01T12:00:00.000Z"))
    const { list, refused } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
    for (const [body, problems] of wrong) {
      assert.deepStrictEqual(
        yield* refused("POST", "", body),
        problems.map(([field, constraint]) => ({ field, constraint })),
        JSON.stringify(body)
      )
    }
    assert.deepStrictEqual(yield* list, [])
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a valid body is stored unchanged, and unknown fields in the body are ignored", () =>
  Effect.gen(function* () {
    const { create } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
    const longest = "\u{1f3c0}".repeat(200)
    assert.strictEqual((yield* create({ name: longest })).name, longest)
    assert.deepStrictEqual((yield* create({ ip_whitelist: [] })).ip_whitelist, [])
    const list = ["203.0.113.7", "203.0.113.0/24", "2001:DB8::1", "2001:db8::/32", "::ffff:203.0.113.7", "0.0.0.0/0"]
    assert.deepStrictEqual((yield* create({ ip_whitelist: list })).ip_whitelist, list)
    const latest = yield* create({ expires_at: "9999-12-31T23:59:59.999Z", tags: ["x"] })
    assert.strictEqual(latest.expires_at, "9999-12-31T23:59:59.999Z")
  }).pipe(Effect.provide(InMemory.layer))
)

it.effect("a grace period must be a whole number of seconds, from 0 to seven days", () =>
  Effect.gen(function* () {
    const { create, refused, rotate } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
    const { id } = yield* create()
    for (const grace of [-1, 604_801, 0.5, "60", null, 1e300, [60]]) {
      const problems = yield* refused("POST", `/${id}/rotate`, { grace_period_seconds: grace })
      assert.deepStrictEqual(
        [...new Set(problems.map(({ field }: { field: string }) => field))],
        ["grace_period_seconds"],
        String(grace)
      )
      for (const { constraint } of problems)
        assert.match(constraint, /^must be (a number|an integer)( from 0 to 604800)?$/)
    }
    for (const body of ["[]", "null", "{"]) {
      assert.strictEqual((yield* refused("POST", `/${id}/rotate`, body))[0].field, "body", body)
    }
    const { id: next } = yield* rotate(id, { grace_period_seconds: 604_800 })
    yield* rotate(next, {})
  }).pipe(Effect.provide(InMemory.layer))
)
