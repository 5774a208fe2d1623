/** Implements DashboardTokenVerifier by calling an async function of the application. */
import {
  DashboardTokenVerifier,
  IdentityUnreachable,
  TokenRefused
} from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { callHostFunction, type HostFunctionContext, makeResultDecoder } from "./HostFunction.ts"

export interface IdentifiedCaller {
  /** The id of the organization, or its id at the identity provider. */
  readonly organization: string
  /** The signed-in user, whom the audit log records. */
  readonly subject?: string | null | undefined
}

/**
 * Verifies a dashboard token and resolves with its organization. For an invalid token, the function resolves with null
 * or undefined. For a genuine but expired token, the function resolves with `{ expired: true }`. The function throws
 * only if it cannot verify tokens at the moment.
 */
export type IdentifyCaller = (token: string, context: HostFunctionContext) => Verdict | PromiseLike<Verdict>

type Verdict = IdentifiedCaller | { readonly expired: true } | null | undefined

const longestToken = 8 * 1024
const longestSubject = 255

const verdict = makeResultDecoder(
  Schema.NullishOr(
    Schema.Union([
      Schema.Struct({ expired: Schema.Literal(true) }),
      Schema.Struct({
        organization: Schema.NonEmptyString,
        subject: Schema.optional(Schema.NullOr(Schema.String))
      })
    ])
  )
)

export const layer = (identify: IdentifyCaller) =>
  Layer.succeed(DashboardTokenVerifier, {
    verify: Effect.fn("DashboardTokenVerifier.verify")(function* (token) {
      if (token.length > longestToken) return yield* new TokenRefused({ expired: false })
      const found = yield* Effect.mapError(
        Effect.flatMap(
          callHostFunction((context) => identify(token, context), "10 seconds"),
          verdict
        ),
        ({ reason }) => new IdentityUnreachable({ reason })
      )
      if (Predicate.isNullish(found)) return yield* new TokenRefused({ expired: false })
      if ("expired" in found) return yield* new TokenRefused({ expired: true })
      return { organization: found.organization, subject: found.subject?.slice(0, longestSubject) ?? null }
    })
  })
