/** Lists the personas that a partner may use. The test environment also has test personas. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isLowerCaseUuid, PersonaId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Owner } from "../shared/Owner.ts"
import type { Persona } from "./Persona.ts"
import { PersonaStore } from "./PersonaStore.ts"
import { findTestPersona, testPersonas } from "./TestPersonas.ts"

export class PersonaNotFound extends Schema.TaggedError<PersonaNotFound>()("PersonaNotFound", {}) {}
/** The persona exists, but the organization has no active licence for the persona. */
export class NotLicensed extends Schema.TaggedError<NotLicensed>()("NotLicensed", { personaId: PersonaId }) {}

/** Dies if a store returns an id that is not a lower-case UUID, because no request could select that persona. */
export const dieOnInvalidPersonaIds = (personas: ReadonlyArray<Persona>): Effect.Effect<ReadonlyArray<Persona>> => {
  const lost = personas.find(({ id }) => !isLowerCaseUuid(id))
  return lost === undefined ? Effect.succeed(personas) : Effect.die(makeInvalidPersonaIdError(lost.id))
}

const makeInvalidPersonaIdError = (id: string) =>
  new Error(
    `PersonaStore gave a persona with the id "${id}", which no request can name: it must be a UUID in lower case`
  )

export class Personas extends Context.Service<
  Personas,
  {
    /** Lists the test personas first, then the licensed personas by name. */
    readonly list: (owner: Owner) => Effect.Effect<ReadonlyArray<Persona>>
    readonly find: (owner: Owner, id: PersonaId) => Effect.Effect<Persona, PersonaNotFound | NotLicensed>
  }
>()("@partner-commentary/core/persona/Personas") {
  static readonly layer = Layer.effect(
    Personas,
    Effect.gen(function* () {
      const store = yield* PersonaStore
      return Personas.of({
        list: ({ environment, organizationId }) =>
          Effect.map(
            Effect.flatMap(Instant.now, (now) =>
              Effect.flatMap(store.licensed(organizationId, now), dieOnInvalidPersonaIds)
            ),
            (licensed) => (environment === "test" ? [...testPersonas, ...licensed] : licensed)
          ),
        find: Effect.fnUntraced(function* ({ environment, organizationId }, id) {
          const simulated = environment === "test" ? findTestPersona(id) : Option.none()
          if (Option.isSome(simulated)) return simulated.value
          const licensed = yield* dieOnInvalidPersonaIds(
            yield* store.licensedAmong(organizationId, [id], yield* Instant.now)
          )
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
