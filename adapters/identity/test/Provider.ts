/** Starts a real identity provider on a free port. Tests can make the provider fail. */
import { type TokenClaims, TokenIssuer } from "@partner-commentary/testkit/DashboardTokenVerifierSuite"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type JWK, OAuth2Server } from "oauth2-mock-server"

export const testAudience = "https://api.partner.example"
export const testOrganizationClaim = "org_id"

export class TestIdentityProvider extends Context.Service<
  TestIdentityProvider,
  {
    readonly issuer: string
    readonly jwksUrl: string
    /** Publishes one more key, with which `sign` can then sign tokens. */
    readonly publish: (kid: string, algorithm?: string) => Effect.Effect<JWK>
    /** Signs a token with the given key. Without a given key, the function uses the only published key. */
    readonly sign: (claims: TokenClaims, kid?: string) => Effect.Effect<string>
    /** Stops publishing the given key. */
    readonly withdraw: (kid: string) => Effect.Effect<void>
    readonly stop: Effect.Effect<void>
    /** Restarts the provider on the same port. */
    readonly restart: Effect.Effect<void>
    /** Returns how many times clients have fetched the provider's key set. */
    readonly readings: Effect.Effect<number>
  }
>()("test/Provider") {
  static readonly layer = Layer.effect(
    TestIdentityProvider,
    Effect.gen(function* () {
      const server = new OAuth2Server()
      const { keys } = server.issuer
      const withdrawn = new Set<string>()
      let readings = 0
      const published = keys.toJSON.bind(keys)
      keys.toJSON = () => {
        readings += 1
        return published().filter(({ kid }) => !withdrawn.has(kid))
      }
      const publish = (kid: string, algorithm = "RS256") =>
        Effect.promise(() => keys.generate(algorithm, algorithm === "EdDSA" ? { kid, crv: "Ed25519" } : { kid }))
      yield* publish("first")
      yield* Effect.promise(() => server.start(0, "127.0.0.1"))
      const { port } = server.address()
      const issuer = server.issuer.url ?? ""
      const stop = Effect.promise(() => (server.listening ? server.stop() : Promise.resolve()))
      yield* Effect.addFinalizer(() => stop)
      return TestIdentityProvider.of({
        issuer,
        jwksUrl: `${issuer}/jwks`,
        publish,
        sign: (claims, kid) =>
          Effect.promise(() => {
            // The server loses its issuer URL when it stops, so the URL is set again before each token is signed.
            server.issuer.url = issuer
            return server.issuer.buildToken({
              ...(kid === undefined ? {} : { kid }),
              scopesOrTransform: (_, payload) => {
                for (const name of Object.keys(payload)) delete payload[name]
                Object.assign(payload, claims)
              }
            })
          }),
        withdraw: (kid) => Effect.sync(() => void withdrawn.add(kid)),
        stop,
        restart: Effect.promise(() => server.start(port, "127.0.0.1")),
        readings: Effect.sync(() => readings)
      })
    })
  )

  /** Issues tokens for the conformance suite. */
  static readonly mint = Layer.effect(
    TokenIssuer,
    Effect.map(TestIdentityProvider, ({ issuer, sign }) =>
      TokenIssuer.of({ issuer, audience: testAudience, organizationClaim: testOrganizationClaim, sign })
    )
  )
}
