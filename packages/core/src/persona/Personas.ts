/** What partners see of the personas they hold licences for. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type OrganizationId, PersonaId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Persona } from "./Persona.ts"
import { PersonaStore } from "./PersonaStore.ts"

export class PersonaNotFound extends Schema.TaggedError<PersonaNotFound>()("PersonaNotFound", {}) {}
/** The persona exists, but the organization holds no active licence for it. */
export class NotLicensed extends Schema.TaggedError<NotLicensed>()("NotLicensed", { personaId: PersonaId }) {}

export class Personas extends Context.Service<
  Personas,
  {
    readonly list: (organizationId: OrganizationId) => Effect.Effect<ReadonlyArray<Persona>>
    readonly find: (
      organizationId: OrganizationId,
      id: PersonaId
    ) => Effect.Effect<Persona, PersonaNotFound | NotLicensed>
  }
>()("@partner-commentary/core/persona/Personas") {
  static readonly layer = Layer.effect(
    Personas,
    Effect.gen(function* () {
      const store = yield* PersonaStore
      return Personas.of({
        list: (organizationId) => Effect.flatMap(Instant.now, (now) => store.licensed(organizationId, now)),
        find: Effect.fnUntraced(function* (organizationId, id) {
          const licensed = yield* store.licensedAmong(organizationId, [id], yield* Instant.now)
          const [persona] = licensed
          if (persona !== undefined) return persona
          return yield* Option.isSome(yield* store.find(id))
            ? new NotLicensed({ personaId: id })
            : new PersonaNotFound()
        })
      })
    })
  )
}
