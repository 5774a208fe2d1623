/** Implements PersonaStore by calling async functions that read the application's own tables. */

import type { Persona } from "@partner-commentary/core/persona/Persona"
import { PersonaStore } from "@partner-commentary/core/persona/PersonaStore"
import { PersonaId } from "@partner-commentary/core/shared/Ids"
import type { Instant } from "@partner-commentary/core/shared/Instant"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  callHostFunction,
  convertFailureToDefect,
  type HostFunctionContext,
  makeHostIdSchema,
  makeResultDecoder
} from "./HostFunction.ts"
import { type HostDate, HostDateSchema } from "./Moment.ts"

/** A persona in the application's tables, with the field names of the API. */
export interface HostPersona {
  /** The persona's id, which is a UUID in lower case and must never change. */
  readonly id: string
  readonly name: string
  readonly image_url?: string | null | undefined
  readonly bio?: string | null | undefined
  readonly expertise?: ReadonlyArray<string> | null | undefined
  readonly social_links?: Readonly<Record<string, string>> | null | undefined
  /** The human creator behind the persona, who receives the mails. Partners never see the creator's data. */
  readonly creator: { readonly name?: string | null | undefined; readonly email: string }
  readonly created_at: HostDate | string
}

type Awaitable<A> = A | PromiseLike<A>

export interface PersonaReader {
  readonly find: (id: string, context: HostFunctionContext) => Awaitable<HostPersona | null | undefined>
  /**
   * Returns the personas for which the organization has a licence at the time `context.at`, each persona once and in
   * any order. `ids` limits the result to personas with the given ids. If `ids` is null, all licensed personas are
   * returned.
   */
  readonly licensed: (
    organizationId: string,
    ids: ReadonlyArray<string> | null,
    context: HostFunctionContext & { readonly at: HostDate }
  ) => Awaitable<ReadonlyArray<HostPersona>>
}

const maybe = <S extends Schema.Top>(schema: S) => Schema.optional(Schema.NullOr(schema))

const Kept = Schema.Struct({
  id: makeHostIdSchema(PersonaId),
  name: Schema.NonEmptyString,
  image_url: maybe(Schema.String),
  bio: maybe(Schema.String),
  expertise: maybe(Schema.Array(Schema.String)),
  social_links: maybe(Schema.Record(Schema.String, Schema.String)),
  creator: Schema.Struct({ name: maybe(Schema.String), email: Schema.NonEmptyString }),
  created_at: HostDateSchema
})

const toPersona = ({ bio, created_at, creator, expertise, id, image_url, name, social_links }: typeof Kept.Type) => ({
  id,
  name,
  imageUrl: image_url ?? "",
  bio: bio ?? "",
  expertise: expertise ?? [],
  socialLinks: social_links ?? {},
  creator: { name: creator.name ?? "", email: creator.email },
  createdAt: created_at
})

const longestRead = "10 seconds"
const one = makeResultDecoder(Schema.NullishOr(Kept))
const many = makeResultDecoder(
  Schema.Array(Kept).check(
    Schema.makeFilter((all) => {
      const seen = new Set<string>()
      const at = all.findIndex(({ id }) => seen.size === seen.add(id).size)
      return at < 0 || { path: [at, "id"], issue: `"${all[at]?.id}" must occur once` }
    })
  )
)

const byName = (left: Persona, right: Persona) =>
  left.name === right.name ? compareTexts(left.id, right.id) : compareTexts(left.name, right.name)
const compareTexts = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0)

export const layer = (personas: PersonaReader) => {
  const licensed = (organizationId: string, ids: ReadonlyArray<string> | null, instant: Instant) => {
    const at = DateTime.toDateUtc(DateTime.makeUnsafe(instant))
    return callHostFunction((context) => personas.licensed(organizationId, ids, { ...context, at }), longestRead).pipe(
      Effect.flatMap(many),
      convertFailureToDefect("personas"),
      Effect.map((all) => all.map(toPersona).toSorted(byName))
    )
  }
  return Layer.succeed(PersonaStore, {
    find: (id) =>
      callHostFunction((context) => personas.find(id, context), longestRead).pipe(
        Effect.flatMap(one),
        convertFailureToDefect("personas"),
        Effect.map((found) => Option.map(Option.fromNullishOr(found), toPersona))
      ),
    licensedAmong: (organizationId, ids, at) =>
      Effect.map(licensed(organizationId, ids, at), (all) => all.filter(({ id }) => ids.includes(id))),
    licensed: (organizationId, at) => licensed(organizationId, null, at)
  })
}
