/**
 * Starts the service under test, over real sockets with real time and workers, and creates the callers that the fuzzer
 * uses.
 */
import type { Organization } from "@partner-commentary/core/partner/Organization"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * A caller with its credentials. If `expectedAccess` is `all`, the service must not refuse a valid request because of
 * the caller's credentials or rate limits. If `expectedAccess` is `none`, every request must fail. If `expectedAccess`
 * is `some`, some requests may fail.
 */
export interface FuzzedCaller {
  readonly name: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly expectedAccess: "all" | "none" | "some"
}

/** The callers for each security scheme, by the scheme's name in the OpenAPI document. */
export type FuzzedCallersBySecurityScheme = Readonly<Record<string, ReadonlyArray<FuzzedCaller>>>

export const layerOverHttp = TestApi.layerHttp.pipe(
  Layer.provideMerge(TestApi.workers),
  Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) }))
)

/**
 * Limits that no run of the fuzzer reaches. Every run of the fuzzer reaches the limits in `lowRateLimits` and
 * `lowMonthlyQuotas`.
 */
const unreachableLimits = {
  requests_per_hour: 10_000_000,
  burst_per_minute: 10_000_000,
  topics_per_month: 10_000_000,
  commentaries_per_month: 10_000_000,
  topic_submissions_per_hour: 10_000_000,
  persona_lists_per_hour: 10_000_000,
  topic_reads_per_hour: 10_000_000
}
const lowRateLimits = {
  ...unreachableLimits,
  requests_per_hour: 300,
  burst_per_minute: 20,
  topic_submissions_per_hour: 5
}
const lowMonthlyQuotas = { ...unreachableLimits, topics_per_month: 3, commentaries_per_month: 4 }

const organization = Effect.fnUntraced(function* (limits: Organization["limits"]) {
  const owner = yield* Seed.createOrganization({ limits })
  yield* Effect.forEach([1, 2, 3], (number) => Seed.createPersona(owner, { name: `Ada Vance ${number}` }))
  return owner
})

const byKey =
  (expectedAccess: FuzzedCaller["expectedAccess"], what: string) =>
  ({ text }: { readonly text: string }): FuzzedCaller => ({
    name: `${what} key`,
    headers: [["X-Api-Key", text]],
    expectedAccess
  })

const byToken =
  (expectedAccess: FuzzedCaller["expectedAccess"], what: string) =>
  (text: string): FuzzedCaller => ({
    name: `${what} token`,
    headers: [["Authorization", `Bearer ${text}`]],
    expectedAccess
  })

export const seedCallers = Effect.gen(function* () {
  yield* Seed.createPersona(null)
  const owners = yield* Effect.forEach([1, 2, 3], () => organization(unreachableLimits))
  const [owner, ...rest] = owners
  if (owner === undefined) return yield* Effect.die("nobody to call")
  const hurried = yield* organization(lowRateLimits)
  const broke = yield* organization(lowMonthlyQuotas)
  // The fuzzer does not authenticate with the keys that it manages, because calls with a revoked key would fail.
  const managed = yield* Effect.forEach([1, 2, 3], () => Seed.createOrganization({ limits: unreachableLimits }))
  const live = yield* Effect.forEach([owner, ...rest], (one) => Seed.issueApiKey(one))
  const test = yield* Effect.forEach([owner, ...rest], (one) => Seed.issueApiKey(one, { environment: "test" }))
  const single = yield* Effect.forEach(
    ["personas:read", "topics:submit", "topics:read", "usage:read"] as const,
    (scope) => Seed.issueApiKey(owner, { scopes: [scope] })
  )
  const limited = [yield* Seed.issueApiKey(hurried), yield* Seed.issueApiKey(broke)]
  const elsewhere = yield* Seed.issueApiKey(owner, { ipAllowList: ["203.0.113.1"] })
  const ended = yield* Seed.issueApiKey(owner, { expiresAt: 1 as never })
  const tokens = yield* Effect.forEach(managed, (one) => Seed.issueDashboardToken(one))
  const foreign = yield* Seed.issueDashboardToken({ id: "00000000-0000-4000-8000-000000000000" })
  const all: FuzzedCallersBySecurityScheme = {
    ApiKey: [
      ...live.map(byKey("all", "live")),
      ...test.map(byKey("all", "test")),
      ...test.map(byKey("all", "test")),
      ...single.map(byKey("some", "single-scope")),
      ...limited.map(byKey("some", "limited")),
      byKey("none", "foreign address's")(elsewhere),
      byKey("none", "expired")(ended)
    ],
    DashboardToken: [
      ...tokens.map(byToken("all", "dashboard")),
      byToken("some", "hurried")(yield* Seed.issueDashboardToken(hurried)),
      byToken("none", "unknown organization's")(foreign)
    ]
  }
  return all
})
