/** Whether a call of the dashboard may go on: its token, and the organization that the token names. */
import * as Errors from "@partner-commentary/api/Errors"
import { Dashboard, type DashboardPrincipal } from "@partner-commentary/core/access/Dashboard"
import { RateLimits } from "@partner-commentary/core/access/RateLimits"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { counted } from "./Authorization.ts"
import type { Rate } from "./CurrentRate.ts"

/** What a call shows of its caller. */
export interface DashboardCaller {
  /** `Authorization`, `""` where it is missing. */
  readonly authorization: string
  readonly address: string
}

export class DashboardAuthorization extends Context.Service<
  DashboardAuthorization,
  {
    /**
     * Notes in `rate` what the response is to say, admitted or not. Dies where the identity provider would have to be
     * asked and does not answer: nobody knows then who calls.
     */
    readonly admit: (
      caller: DashboardCaller,
      rate: Rate
    ) => Effect.Effect<DashboardPrincipal, Errors.Unauthorized | Errors.RateLimitExceeded>
  }
>()("@partner-commentary/server/middleware/DashboardAuthorization") {
  static readonly layer = Layer.effect(
    DashboardAuthorization,
    Effect.gen(function* () {
      const { authenticate } = yield* Dashboard
      const limits = yield* RateLimits

      const known = ({ authorization }: DashboardCaller) => {
        const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
        if (token === undefined) return Effect.fail(Errors.Unauthorized.of(refusals.bad))
        return Effect.catchTags(authenticate(token), {
          TokenRefused: ({ expired }) => Effect.fail(Errors.Unauthorized.of(expired ? refusals.expired : refusals.bad)),
          IdentityUnreachable: (unreachable) => Effect.die(unreachable)
        })
      }

      return DashboardAuthorization.of({
        admit: Effect.fnUntraced(function* (caller, rate) {
          const stranger = counted(limits.countAddress(caller.address), rate)
          // A provider that cannot be asked costs the caller a stranger's call, lest a flood of tokens be free.
          const principal = yield* Effect.tapCause(known(caller), () => stranger)
          rate.organizationId = principal.organization.id
          yield* counted(limits.countDashboard(principal.organization, principal.limits), rate)
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
