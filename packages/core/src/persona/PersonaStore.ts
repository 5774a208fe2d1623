/**
 * The port that knows personas and decides licences. An embedder may bring its own; publishing and licensing is PersonaRegistry's.
 * A persona's id is a UUID in lower case, however the host's tables spell it: so every request names it, and so it stays on its topics.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId, PersonaId } from "../shared/Ids.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Persona } from "./Persona.ts"

export class PersonaStore extends Context.Service<
  PersonaStore,
  {
    readonly find: (id: PersonaId) => Effect.Effect<Option.Option<Persona>>
    /** Those of the given personas that the organization may use at this moment, in any order. */
    readonly licensedAmong: (
      organizationId: OrganizationId,
      ids: ReadonlyArray<PersonaId>,
      at: Instant
    ) => Effect.Effect<ReadonlyArray<Persona>>
    /** All that the organization may use at this moment, by name, ties by id. */
    readonly licensed: (organizationId: OrganizationId, at: Instant) => Effect.Effect<ReadonlyArray<Persona>>
  }
>()("@partner-commentary/core/persona/PersonaStore") {}
