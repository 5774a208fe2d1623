/**
 * The port that reads personas and checks licences. The default implementation reads the tables that PersonaRegistry
 * writes. An embedder may replace this port. The port must return each persona's id as a lower-case UUID, because
 * requests and topics use lower-case ids. The embedder's own tables may spell a persona's id differently.
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
    /** Returns the requested personas that the organization may use at the time `at`, each once and in any order. */
    readonly licensedAmong: (
      organizationId: OrganizationId,
      ids: ReadonlyArray<PersonaId>,
      at: Instant
    ) => Effect.Effect<ReadonlyArray<Persona>>
    /** Returns all personas that the organization may use at the time `at`, each once, sorted by name and then by id. */
    readonly licensed: (organizationId: OrganizationId, at: Instant) => Effect.Effect<ReadonlyArray<Persona>>
  }
>()("@partner-commentary/core/persona/PersonaStore") {}
