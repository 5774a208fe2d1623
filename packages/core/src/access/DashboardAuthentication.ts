/** Authenticates requests from dashboards. A dashboard token has no scopes and allows all dashboard operations. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Organization } from "../partner/Organization.ts"
import { OrganizationStore } from "../partner/OrganizationStore.ts"
import { type OrganizationLimits, resolveLimits } from "../partner/Plan.ts"
import { OrganizationId, parse } from "../shared/Ids.ts"
import { DashboardTokenVerifier, type IdentityUnreachable, TokenRefused } from "./DashboardTokenVerifier.ts"

/** A caller that authenticated with a dashboard token. */
export interface DashboardPrincipal {
  readonly organization: Organization
  readonly limits: OrganizationLimits
  /** The audit log's name for the signed-in user. The prefix `dashboard:` distinguishes users from the operator. */
  readonly by: string
}

export class DashboardAuthentication extends Context.Service<
  DashboardAuthentication,
  {
    /** Rejects a token if its organization is suspended or unknown. */
    readonly authenticate: (token: string) => Effect.Effect<DashboardPrincipal, TokenRefused | IdentityUnreachable>
  }
>()("@partner-commentary/core/access/DashboardAuthentication") {
  static readonly layer = Layer.effect(
    DashboardAuthentication,
    Effect.gen(function* () {
      const identity = yield* DashboardTokenVerifier
      const organizations = yield* OrganizationStore

      /** Finds an organization by its id in this service first, then by its id at the identity provider. */
      const named = Effect.fnUntraced(function* (claim: string) {
        const id = parse(OrganizationId, claim)
        const own = Option.isNone(id) ? Option.none() : yield* organizations.find(id.value)
        return Option.isSome(own) ? own : yield* organizations.findByIdentity(claim)
      })

      return DashboardAuthentication.of({
        authenticate: Effect.fnUntraced(function* (token) {
          const { organization: claim, subject } = yield* identity.verify(token)
          const organization = yield* named(claim)
          if (Option.isNone(organization) || organization.value.suspendedAt !== null) {
            return yield* new TokenRefused({ expired: false })
          }
          return {
            organization: organization.value,
            limits: resolveLimits(organization.value),
            by: `dashboard:${subject ?? "unknown"}`
          }
        })
      })
    })
  )
}
