/** The port that publishes personas and grants licences where this service keeps them itself. The command line is its user. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId, PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { License } from "./License.ts"
import type { Persona } from "./Persona.ts"

export class PersonaRegistry extends Context.Service<
  PersonaRegistry,
  {
    readonly insert: (persona: Persona) => Effect.Effect<void>
    /** Applies the change to the present value, as one transaction; none when there is no such persona. */
    readonly update: (id: PersonaId, change: (present: Persona) => Persona) => Effect.Effect<Option.Option<Persona>>
    /** Oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Persona>>
    /** Those whose creator has this address, whatever its case. */
    readonly byCreator: (email: string) => Effect.Effect<ReadonlyArray<Persona>>
    /** Grants anew or changes the end; a revoked licence comes back. False when organization or persona do not exist. */
    readonly grant: (license: License) => Effect.Effect<boolean>
    /** Stops new topics only. Answers with the licence, or none where there is none. Revoking twice keeps the first moment. */
    readonly revoke: (
      organizationId: OrganizationId,
      personaId: PersonaId,
      at: Instant
    ) => Effect.Effect<Option.Option<License>>
    readonly licenses: (
      organizationId: OrganizationId
    ) => Effect.Effect<ReadonlyArray<License & { readonly personaName: string }>>
  }
>()("@partner-commentary/core/persona/PersonaRegistry") {}
