/** Provides `pc.personas`, which manages personas and the assignment of a creator to each persona. */
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Personas from "../administration/Personas.ts"
import * as Text from "./Text.ts"
import { failIfNotFound, makeDecoder, PersonaIdInput, type RunUseCase, type TransactionOption } from "./UseCase.ts"

interface Profile {
  readonly image_url?: string | undefined
  readonly bio?: string | undefined
  /** The sports, leagues and topics on which the persona comments. */
  readonly expertise?: ReadonlyArray<string> | undefined
  /** The URLs of social profiles, by the name of the platform. */
  readonly social_links?: Readonly<Record<string, string>> | undefined
}

export interface NewPersona extends Profile {
  readonly name: string
  /** The creator behind the persona, who receives the mails. Partners never see the creator's data. */
  readonly creator: { readonly name?: string | undefined; readonly email: string }
}

export interface PersonaChange extends Profile {
  readonly persona_id: string
  readonly name?: string | undefined
  /**
   * The creator who receives new topics of the persona. To change a creator's address for open requests too, use
   * `pc.creators.changeEmail`.
   */
  readonly creator?: NewPersona["creator"] | undefined
}

const Creator = Schema.Struct({ name: Schema.optional(Text.NameSchema), email: Text.EmailSchema })

const profile = {
  image_url: Schema.optional(Text.HttpUrlSchema),
  bio: Schema.optional(Text.ProseSchema),
  expertise: Schema.optional(Text.ExpertiseSchema),
  social_links: Schema.optional(Text.SocialLinksSchema)
}

const created = makeDecoder(Schema.Struct({ name: Text.NameSchema, creator: Creator, ...profile }))
const changed = makeDecoder(
  Schema.Struct({
    persona_id: PersonaIdInput,
    name: Schema.optional(Text.NameSchema),
    creator: Schema.optional(Creator),
    ...profile
  })
)

export const makePersonaUseCases = (run: RunUseCase) => ({
  /** Publishes a persona. Partners see the persona when they have a licence. */
  create: (persona: NewPersona, options?: TransactionOption) =>
    run(
      Effect.gen(function* () {
        const { bio, creator, expertise, image_url, name, social_links } = yield* created(persona)
        const published = Personas.create({
          name,
          imageUrl: image_url ?? "",
          bio: bio ?? "",
          expertise: expertise ?? [],
          socialLinks: social_links ?? {},
          creator: { name: creator.name ?? "", email: creator.email }
        })
        return Personas.toApiPersona(yield* published)
      }),
      options
    ),

  /** Changes a persona. Fields that the input omits stay unchanged. */
  update: (change: PersonaChange, options?: TransactionOption) =>
    run(
      Effect.gen(function* () {
        const { bio, creator, expertise, image_url, name, persona_id, social_links } = yield* changed(change)
        const updated = Personas.update(persona_id, (present) => ({
          ...present,
          name: name ?? present.name,
          imageUrl: image_url ?? present.imageUrl,
          bio: bio ?? present.bio,
          expertise: expertise ?? present.expertise,
          socialLinks: social_links ?? present.socialLinks,
          creator: creator === undefined ? present.creator : { name: creator.name ?? "", email: creator.email }
        }))
        return Personas.toApiPersona(yield* failIfNotFound("persona")(updated))
      }),
      options
    ),

  /** Lists personas, oldest first. */
  list: () => run(PersonaRegistry.use(({ list }) => Effect.map(list, (all) => all.map(Personas.toApiPersona))))
})
