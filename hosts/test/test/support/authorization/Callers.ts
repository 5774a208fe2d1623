/**
 * All kinds of callers, and the permissions of their keys and tokens. The permissions determine the expected responses.
 */
import * as ApiKey from "@partner-commentary/core/access/ApiKey"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import * as Scope from "@partner-commentary/core/access/Scope"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { ApiKeyId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Seed from "@partner-commentary/test/Seed"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { OwnerCredentials } from "./OwnedResources.ts"

export type ResourceOwnership = "own" | "other organization" | "other environment"

/**
 * Either the code with which the service refuses the key, or the key's scopes and the owner whose resources the key can
 * access.
 */
export type TestKeyAccess =
  | "unauthorized"
  | "key_revoked"
  | "key_expired"
  | "ip_restricted"
  | { readonly scopes: ReadonlyArray<Scope.ApiKeyScope>; readonly whose: ResourceOwnership }

/**
 * The owner whose resources a token can access, or the refusal. A dashboard token has neither scopes nor an
 * environment.
 */
export type TestTokenAccess = "unauthorized" | "own" | "other organization"

export interface TestCaller {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly key: TestKeyAccess
  readonly token: TestTokenAccess
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const by = (key: string) => ({ "x-api-key": key })
const address = "203.0.113.7"

/**
 * Makes callers with a key in one environment, one caller for each state of the key. Some keys expire within a minute.
 */
export const makeCallersWithKeys = Effect.fnUntraced(function* (
  owner: OwnerCredentials,
  stranger: OwnerCredentials,
  environment: "live" | "test"
) {
  const keys = yield* ApiKeys
  const { organization } = owner
  const soon = Instant.plus(yield* Instant.now, Duration.minutes(1))
  const key = (given: Parameters<typeof Seed.issueApiKey>[1] = {}) =>
    Seed.issueApiKey(organization, { environment, ...given })
  const rotated = Effect.fnUntraced(function* (grace: Duration.Duration) {
    const old = yield* key()
    const manager = { by: "operator", organizationId: organization.id }
    const { fullKey } = yield* keys.rotate(ApiKeyId.make(old.id), grace, manager)
    return { old: old.text, successor: Redacted.value(fullKey) }
  })
  const ended = yield* key({ expiresAt: soon, ipAllowList: [address], scopes: [] })
  yield* keys.revoke(ApiKeyId.make(ended.id))
  const { text: whole } = yield* key()
  const inGrace = yield* rotated(Duration.days(1))
  const graceOver = yield* rotated(Duration.seconds(30))
  const nobodys = Redacted.value(yield* ApiKey.generateKeyText(environment, yield* SecureRandom.SecureRandom))
  const away = environment === "live" ? "test" : "live"

  const caller = (name: string, text: string, key: TestKeyAccess, more: Record<string, string> = {}): TestCaller => ({
    name: `${environment}: ${name}`,
    headers: { ...by(text), ...more },
    key,
    token: "unauthorized"
  })
  const good = (scopes: ReadonlyArray<Scope.ApiKeyScope> = Scope.allScopes, whose: ResourceOwnership = "own") => ({
    scopes,
    whose
  })
  const at = { "x-forwarded-for": address }
  const single = yield* Effect.forEach(Scope.allScopes, (scope) =>
    Effect.map(key({ scopes: [scope] }), ({ text }) => caller(`${scope} alone`, text, good([scope])))
  )
  return [
    caller("garbage", "garbage", "unauthorized"),
    caller("a mistyped key", whole.slice(0, -1) + (whole.endsWith("A") ? "B" : "A"), "unauthorized"),
    caller("a key in the other environment's name", whole.replace(`pk_${environment}`, `pk_${away}`), "unauthorized"),
    caller("a key that was never issued", nobodys, "unauthorized"),
    caller("a good key in another case", whole.toLowerCase(), "unauthorized"),
    caller("a good key given twice", `${whole}, ${whole}`, "unauthorized"),
    caller("a good key with something behind it", `${whole}A`, "unauthorized"),
    caller("a revoked key, expired and elsewhere too", ended.text, "key_revoked"),
    caller("a key whose grace is over", graceOver.old, "key_revoked"),
    caller(
      "an expired key, elsewhere and without scopes",
      (yield* key({ expiresAt: soon, ipAllowList: [address], scopes: [] })).text,
      "key_expired"
    ),
    caller(
      "a wrong address, without scopes",
      (yield* key({ ipAllowList: [address], scopes: [] })).text,
      "ip_restricted"
    ),
    caller("the right address", (yield* key({ ipAllowList: [`${address}/32`] })).text, good(), at),
    caller("a key in its grace", inGrace.old, good()),
    caller("the successor of a key in its grace", inGrace.successor, good()),
    caller("the successor of a key whose grace is over", graceOver.successor, good()),
    caller("all scopes", whole, good()),
    caller("no scopes", (yield* key({ scopes: [] })).text, good([])),
    ...single,
    caller("another organization", stranger[environment], good(Scope.allScopes, "other organization")),
    caller("the other environment", owner[away], good(Scope.allScopes, "other environment"))
  ]
})

/**
 * Makes callers with a token, callers without credentials, and callers with a token and a key. Each credential is valid
 * or invalid, and some tokens expire within a minute.
 */
export const makeCallersWithTokens = Effect.fnUntraced(function* (owner: OwnerCredentials, stranger: OwnerCredentials) {
  const suspended = yield* Seed.createOrganization({ name: "Suspended" })
  const suspendedKeys = [
    yield* Seed.issueApiKey(suspended),
    yield* Seed.issueApiKey(suspended, { environment: "test" })
  ]
  const registry = yield* OrganizationRegistry
  yield* registry.update(suspended.id, (present) => ({ ...present, suspendedAt: 0 }))

  const good = (whose: ResourceOwnership) => ({ scopes: Scope.allScopes, whose })
  const tokens: ReadonlyArray<readonly [string, string, TestTokenAccess]> = [
    ["a good token", owner.token, "own"],
    ["garbage", "a.b.c", "unauthorized"],
    ["a mistyped token", `${owner.token.slice(0, -3)}xyz`, "unauthorized"],
    [
      "an expired token",
      yield* Seed.issueDashboardToken(owner.organization, { expiresIn: Duration.minutes(1) }),
      "unauthorized"
    ],
    ["another organization's token", stranger.token, "other organization"],
    ["a suspended organization's token", yield* Seed.issueDashboardToken(suspended), "unauthorized"],
    ["nobody's token", yield* Seed.issueDashboardToken({ id: "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10" }), "unauthorized"]
  ]
  const live: ReadonlyArray<readonly [string, string, TestKeyAccess]> = [
    ["no key", "", "unauthorized"],
    ["a good key", owner.live, good("own")],
    ["a bad key", "garbage", "unauthorized"],
    ["another organization's key", stranger.live, good("other organization")]
  ]
  const both = tokens.flatMap(([tokenName, token, tokenStanding]) =>
    live.map(
      ([keyName, key, keyStanding]): TestCaller => ({
        name: `${tokenName} with ${keyName}`,
        headers: { ...bearer(token), ...(key === "" ? {} : by(key)) },
        key: keyStanding,
        token: tokenStanding
      })
    )
  )
  const refused = (name: string, headers: Record<string, string>): TestCaller => ({
    name,
    headers,
    key: "unauthorized",
    token: "unauthorized"
  })
  return [
    refused("nothing at all", {}),
    refused("an empty key and an empty token", { "x-api-key": "", authorization: "Bearer" }),
    refused("a token in the key's place", by(owner.token)),
    refused("a key in the token's place", bearer(owner.live)),
    refused("a key and a token in each other's place", { ...by(owner.token), ...bearer(owner.live) }),
    refused("a token without its scheme", { authorization: owner.token }),
    ...suspendedKeys.map(({ text }) => refused("a suspended organization's key", by(text))),
    ...both
  ]
})
