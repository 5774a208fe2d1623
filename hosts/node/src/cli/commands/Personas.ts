/** Defines the commands `persona …`, which manage personas and their creators. */
import type { Persona } from "@partner-commentary/core/persona/Persona"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import { PersonaId } from "@partner-commentary/core/shared/Ids"
import * as Parser from "@partner-commentary/settings/Parser"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Personas from "partner-commentary/administration/Personas"
import * as Administration from "../Administration.ts"
import { CommandFailed, failWithUsageErrorIf } from "../CommandFailed.ts"
import { formatFields, formatTable, printResult } from "../Output.ts"
import * as Parameter from "../Parameter.ts"

const name = "The name that partners see"
const email = "The address that receives the creator's mails. Partners never see it"

const settings = {
  creatorName: Parameter.declareOptionalFlag(
    "creator-name",
    Parser.makeNullableParser(Parser.nameParser),
    "NAME",
    "The creator's name in mails"
  ),
  imageUrl: Parameter.declareOptionalFlag(
    "image-url",
    Parser.makeNullableParser(Parser.httpUrlParser),
    "URL",
    "The URL of the picture. Default: a neutral picture"
  ),
  bio: Parameter.declareOptionalFlag("bio", Parser.proseParser, "TEXT", "Its biography"),
  expertise: Parameter.declareOptionalFlag(
    "expertise",
    Parser.expertiseParser,
    "A,B",
    "The persona's sports, leagues and topics"
  ),
  social: Parameter.declareRepeatedFlag(
    "social",
    Parser.socialLinkParser,
    "NAME=URL",
    "A link to another platform. Can be given several times"
  )
}

const create = Command.make(
  "create",
  {
    name: Parameter.declareRequiredFlag("name", Parser.nameParser, "NAME", name),
    creatorEmail: Parameter.declareRequiredFlag("creator-email", Parser.emailParser, "EMAIL", email),
    ...settings
  },
  Effect.fn(function* (wanted) {
    const persona = yield* Personas.create({
      name: wanted.name,
      imageUrl: Option.getOrElse(wanted.imageUrl, () => null) ?? "",
      bio: Option.getOrElse(wanted.bio, () => ""),
      expertise: Option.getOrElse(wanted.expertise, () => []),
      socialLinks: changedLinks({}, wanted.social),
      creator: { name: Option.getOrElse(wanted.creatorName, () => null) ?? "", email: wanted.creatorEmail }
    })
    yield* printResult({
      json: () => Personas.toApiPersona(persona),
      text: () => [
        `Created the persona ${persona.name}.`,
        ...details(persona),
        `Next: partner-commentary license grant --org ORGANIZATION_ID --persona ${persona.id}`
      ]
    })
  }, Effect.provide(Administration.layerCreatingSchema))
).pipe(Command.withDescription("Publish a persona. Partners see it when they have a licence"))

const update = Command.make(
  "update",
  {
    id: Parameter.declarePositionalArgument("id", Parser.makeIdParser(PersonaId), "The persona's id"),
    name: Parameter.declareOptionalFlag("name", Parser.nameParser, "NAME", name),
    creatorEmail: Parameter.declareOptionalFlag(
      "creator-email",
      Parser.emailParser,
      "EMAIL",
      `${email}. For new topics only`
    ),
    ...settings
  },
  Effect.fn(
    function* ({ id, social, ...wanted }) {
      const updated = yield* Personas.update(id, (present) => ({
        ...present,
        name: Option.getOrElse(wanted.name, () => present.name),
        imageUrl: Option.getOrElse(wanted.imageUrl, () => present.imageUrl) ?? "",
        bio: Option.getOrElse(wanted.bio, () => present.bio),
        expertise: Option.getOrElse(wanted.expertise, () => present.expertise),
        socialLinks: changedLinks(present.socialLinks, social),
        creator: {
          name: Option.getOrElse(wanted.creatorName, () => present.creator.name) ?? "",
          email: Option.getOrElse(wanted.creatorEmail, () => present.creator.email)
        }
      }))
      if (Option.isNone(updated)) return yield* new CommandFailed({ message: `There is no persona ${id}.` })
      const persona = updated.value
      yield* printResult({
        json: () => Personas.toApiPersona(persona),
        text: () => [
          `Updated the persona ${persona.name}.`,
          ...details(persona),
          ...(Option.isSome(wanted.creatorEmail)
            ? ["Open requests keep the former address. To change them too: partner-commentary creator change-email"]
            : [])
        ]
      })
    },
    Effect.provide(Administration.layer),
    (updating, { id: _, social, ...wanted }) =>
      Effect.andThen(
        failWithUsageErrorIf(
          Object.values(wanted).every((value: Option.Option<unknown>) => Option.isNone(value)) && social.length === 0,
          "Say what to change: --name, --creator-email, --creator-name, --image-url, --bio, --expertise or --social."
        ),
        updating
      )
  )
).pipe(Command.withDescription("Change a persona. Omitted values stay unchanged"))

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const personas = yield* (yield* PersonaRegistry).list
    yield* printResult({
      json: () => personas.map(Personas.toApiPersona),
      text: () =>
        formatTable(
          ["id", "name", "creator", "expertise"],
          personas.map((one) => [one.id, one.name, one.creator.email, one.expertise.join(", ")]),
          "There are no personas yet. Next: partner-commentary persona create --name NAME --creator-email EMAIL"
        )
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("List personas, oldest first"))

export const personaCommand = Command.make("persona").pipe(
  Command.withDescription("Personas and their creators"),
  Command.withSubcommands([create, update, list])
)

const changedLinks = (
  present: Persona["socialLinks"],
  changes: ReadonlyArray<readonly [string, string | null]>
): Persona["socialLinks"] =>
  Object.fromEntries(
    Object.entries({ ...present, ...Object.fromEntries(changes) }).filter(([, url]) => url !== null)
  ) as Persona["socialLinks"]

const details = (persona: Persona) =>
  formatFields({
    id: persona.id,
    creator: [persona.creator.name, persona.creator.email].filter((part) => part !== "").join(", "),
    expertise: persona.expertise.join(", ")
  })
