/** Authorizes a dashboard call by its token and by the organization of the token. */
import * as Errors from "@partner-commentary/api/Errors"
import {
  DashboardAuthentication,
  type DashboardPrincipal
} from "@partner-commentary/core/access/DashboardAuthentication"
import { RateLimits } from "@partner-commentary/core/access/RateLimits"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { countAndRecordCall } from "./Authorization.ts"
import type { RequestRecord } from "./RequestRecord.ts"

/** The credentials that the request contains. */
export interface DashboardCredentials {
  /** The value of the `Authorization` header; `""` when the header is missing. */
  readonly authorization: string
  readonly address: string
}

export class DashboardAuthorization extends Context.Service<
  DashboardAuthorization,
  {
    /**
     * Authorizes a dashboard call. Records the rate-limit state in `record`, whether the call is admitted or rejected.
     * The effect dies when the identity provider does not respond, because the service then cannot verify the token.
     */
    readonly admit: (
      caller: DashboardCredentials,
      record: RequestRecord
    ) => Effect.Effect<DashboardPrincipal, Errors.Unauthorized | Errors.RateLimitExceeded>
  }
>()("@partner-commentary/server/middleware/DashboardAuthorization") {
  static readonly layer = Layer.effect(
    DashboardAuthorization,
    Effect.gen(function* () {
      const { authenticate } = yield* DashboardAuthentication
      const limits = yield* RateLimits

      const known = ({ authorization }: DashboardCredentials) => {
        const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
        if (token === undefined) return Effect.fail(Errors.Unauthorized.of(refusals.bad))
        return Effect.catchTags(authenticate(token), {
          TokenRefused: ({ expired }) => Effect.fail(Errors.Unauthorized.of(expired ? refusals.expired : refusals.bad)),
          IdentityUnreachable: (unreachable) => Effect.die(unreachable)
        })
      }

      return DashboardAuthorization.of({
        admit: Effect.fnUntraced(function* (caller, record) {
          const countAnonymous = countAndRecordCall(limits.countAddress(caller.address), record)
          // A failed call counts toward the rate limit of its address even when the identity provider fails, so that
          // calls with invalid tokens are always limited.
          const principal = yield* Effect.tapCause(known(caller), () => countAnonymous)
          record.organizationId = principal.organization.id
          yield* countAndRecordCall(limits.countDashboard(principal.organization, principal.limits), record)
          return principal
        })
      })
    })
  )
}

const refusals = {
  bad: "The dashboard's token is missing or invalid. Send it as Authorization: Bearer TOKEN.",
  expired: "The dashboard's token has expired."
}
