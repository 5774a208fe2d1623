/** Tests the guarantees of the DashboardTokenVerifier port, with any token issuer. */
import { assert, describe } from "@effect/vitest"
import { DashboardTokenVerifier } from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

export type TokenClaims = Readonly<Record<string, unknown>>

/** The token issuer that the DashboardTokenVerifier under test trusts. */
export class TokenIssuer extends Context.Service<
  TokenIssuer,
  {
    /** Signs a token that contains exactly these claims. */
    readonly sign: (claims: TokenClaims) => Effect.Effect<string>
    /** The expected `iss` and `aud` claims, and the name of the claim that contains the organization. */
    readonly issuer: string
    readonly audience: string
    readonly organizationClaim: string
  }
>()("@partner-commentary/testkit/DashboardTokenVerifierSuite/TokenIssuer") {}

/**
 * Creates a token that is valid for an hour. `changes` replaces some of the token's claims. A claim that is undefined
 * in `changes` is omitted.
 */
export const makeToken = Effect.fnUntraced(function* (changes: TokenClaims = {}) {
  const { audience, issuer, organizationClaim, sign } = yield* TokenIssuer
  const now = Math.floor((yield* Instant.now) / 1000)
  const claims = { iss: issuer, aud: audience, sub: "ada", iat: now, exp: now + 3600, [organizationClaim]: "acme" }
  const all = Object.entries({ ...claims, ...changes })
  return yield* sign(Object.fromEntries(all.filter(([, value]) => value !== undefined)))
})

/** Verifies a token. The effect returns `good`, `refused`, `expired` or `unreachable`. */
export const verifyTestToken = (text: string) =>
  Effect.flatMap(DashboardTokenVerifier, ({ verify }) =>
    Effect.match(verify(text), {
      onSuccess: () => "good",
      onFailure: (error) => (error._tag === "TokenRefused" ? (error.expired ? "expired" : "refused") : "unreachable")
    })
  )

export const suite = <E>(name: string, layer: Layer.Layer<DashboardTokenVerifier | TokenIssuer, E>): void => {
  describe(`${name}: DashboardTokenVerifier`, () => {
    const it = makeGuaranteeTest(layer)

    it("verifying a valid token returns the user and the organization that the token's claims name", () =>
      Effect.gen(function* () {
        const { verify } = yield* DashboardTokenVerifier
        const { audience, organizationClaim } = yield* TokenIssuer
        assert.deepStrictEqual(yield* verify(yield* makeToken()), { organization: "acme", subject: "ada" })
        const nameless = yield* makeToken({ sub: undefined, [organizationClaim]: "Ücme/1|x" })
        assert.deepStrictEqual(yield* verify(nameless), { organization: "Ücme/1|x", subject: null })
        const shared = yield* makeToken({ aud: ["somebody else", audience], sub: "x".repeat(1000) })
        assert.strictEqual((yield* verify(shared)).subject?.length, 255)
      }))

    it("a token is rejected if its issuer or its audience is wrong or missing", () =>
      Effect.gen(function* () {
        const { audience, issuer } = yield* TokenIssuer
        for (const changes of [
          { iss: "https://elsewhere.example" },
          { iss: `${issuer}/` },
          { iss: undefined },
          { aud: "another service" },
          { aud: [] },
          { aud: [`${audience}2`] },
          { aud: undefined }
        ]) {
          assert.strictEqual(yield* verifyTestToken(yield* makeToken(changes)), "refused", JSON.stringify(changes))
        }
      }))

    it("a token is valid from `nbf` to `exp`, each with 30 seconds of tolerance, and a token without `exp` is rejected", () =>
      Effect.gen(function* () {
        const now = Math.floor((yield* Instant.now) / 1000)
        const later = yield* makeToken({ nbf: now + 60, exp: now + 120 })
        assert.strictEqual(yield* verifyTestToken(later), "refused")
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual(yield* verifyTestToken(later), "good")
        yield* TestClock.adjust("119 seconds")
        assert.strictEqual(yield* verifyTestToken(later), "good")
        yield* TestClock.adjust("1 seconds")
        assert.strictEqual(yield* verifyTestToken(later), "expired")
        assert.strictEqual(yield* verifyTestToken(yield* makeToken({ exp: undefined })), "refused")
        assert.strictEqual(yield* verifyTestToken(yield* makeToken({ exp: "tomorrow" })), "refused")
      }))

    it("only a token with a valid signature is reported as expired", () =>
      Effect.gen(function* () {
        for (const changes of [{ iss: "https://elsewhere.example" }, { aud: "another service" }]) {
          assert.strictEqual(yield* verifyTestToken(yield* makeToken({ ...changes, exp: 1 })), "refused")
        }
        const expired = yield* makeToken({ exp: 1 })
        assert.strictEqual(yield* verifyTestToken(expired), "expired")
        assert.strictEqual(yield* verifyTestToken(forged(expired)), "refused")
      }))

    it("a token is rejected if its organization claim is missing or invalid", () =>
      Effect.gen(function* () {
        const { organizationClaim } = yield* TokenIssuer
        for (const claim of [undefined, null, 7, true, "", "  ", ["acme"], { id: "acme" }, "ac\u0000me"]) {
          assert.strictEqual(
            yield* verifyTestToken(yield* makeToken({ [organizationClaim]: claim })),
            "refused",
            String(claim)
          )
        }
      }))

    it("a token whose signature or text was changed is rejected, and so is a text that is no token", () =>
      Effect.gen(function* () {
        const good = yield* makeToken()
        const [header = "", payload = "", signature = ""] = good.split(".")
        const { organizationClaim } = yield* TokenIssuer
        const [, other = ""] = (yield* makeToken({ [organizationClaim]: "rival" })).split(".")
        for (const text of [
          forged(good),
          `${header}.${other}.${signature}`,
          `${header}.${payload}.`,
          `${header}.${payload}`,
          `${good}.${signature}`,
          ` ${good}`,
          "",
          ".",
          "..",
          "a.b.c",
          "null",
          "\u0000.\ud800.é",
          `${header}.${"A".repeat(9 * 1024)}.${signature}`
        ]) {
          assert.strictEqual(yield* verifyTestToken(text), "refused", text.slice(0, 40))
        }
        assert.strictEqual(yield* verifyTestToken(good), "good")
      }))

    it("a token of more than 8 KiB is rejected, even if it is valid", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* verifyTestToken(yield* makeToken({ more: "x".repeat(5000) })), "good")
        assert.strictEqual(yield* verifyTestToken(yield* makeToken({ more: "x".repeat(9000) })), "refused")
      }))

    it("a token with the algorithm none is rejected", () =>
      Effect.gen(function* () {
        const [, payload = ""] = (yield* makeToken()).split(".")
        for (const alg of ["none", "None", "NONE", ""]) {
          const header = btoa(JSON.stringify({ alg, typ: "JWT" })).replaceAll("=", "")
          assert.strictEqual(yield* verifyTestToken(`${header}.${payload}.`), "refused")
        }
      }))
  })
}

/**
 * Changes a character of the signature. The last character of the signature stays, because its low bits can be unused.
 */
const forged = (text: string): string => {
  const at = text.lastIndexOf(".") + 5
  return text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1)
}
