/** Whether a call of the dashboard may go on: its token, and the organization that the token names. */
import * as Errors from "@partner-commentary/api/Errors"
import { Dashboard, type DashboardPrincipal } from "@partner-commentary/core/access/Dashboard"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** What a call shows of its caller. */
export interface DashboardCaller {
  /** `Authorization`, `""` where it is missing. */
  readonly authorization: string
  readonly address: string
}

export class DashboardAdmission extends Context.Service<
  DashboardAdmission,
  {
    /** Dies where the identity provider would have to be asked and does not answer: nobody knows then who calls. */
    readonly admit: (caller: DashboardCaller) => Effect.Effect<DashboardPrincipal, Errors.Unauthorized>
  }
>()("@partner-commentary/server/DashboardAdmission") {
  static readonly layer = Layer.effect(
    DashboardAdmission,
    Effect.gen(function* () {
      const { authenticate } = yield* Dashboard
      return DashboardAdmission.of({
        admit: Effect.fnUntraced(
          function* ({ authorization }) {
            const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
            return token === undefined ? yield* Errors.Unauthorized.of(refusals.bad) : yield* authenticate(token)
          },
          Effect.catchTags({
            TokenRefused: ({ expired }) =>
              Effect.fail(Errors.Unauthorized.of(expired ? refusals.expired : refusals.bad)),
            IdentityUnreachable: (unreachable) => Effect.die(unreachable)
          })
        )
      })
    })
  )
}

const refusals = {
  bad: "The dashboard's token is missing or invalid. Send it as Authorization: Bearer TOKEN.",
  expired: "The dashboard's token has expired."
}
