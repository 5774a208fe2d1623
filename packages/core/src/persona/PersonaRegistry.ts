/**
 * The port that the command line uses to publish personas and grant licences. The service itself stores these personas
 * and licences.
 */
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
    /** Applies the change in one transaction. Returns none when the persona does not exist. */
    readonly update: (id: PersonaId, change: (present: Persona) => Persona) => Effect.Effect<Option.Option<Persona>>
    /** Lists all personas, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Persona>>
    /** Finds personas whose creator has this address (case-insensitive). */
    readonly byCreator: (email: string) => Effect.Effect<ReadonlyArray<Persona>>
    /**
     * Grants a licence. If the licence exists, `grant` changes its end and undoes a revocation. Returns false when the
     * organization or the persona does not exist.
     */
    readonly grant: (license: License) => Effect.Effect<boolean>
    /**
     * Revokes a licence. A revocation prevents new topics for the persona. Existing assignments continue. Returns the
     * licence; none when the organization has no licence. A second revocation keeps the time of the first revocation.
     */
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
