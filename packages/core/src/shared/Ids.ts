/** Every kind of id is a UUID with a separate type. New ids are UUIDs of version 7. */
import type * as SecureRandom from "effect/crypto/SecureRandom"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** `parse` ensures that every id is in lower case. */
const Uuid = Schema.String.check(Schema.isPattern(uuid))

export const isLowerCaseUuid = (id: string): boolean => uuid.test(id)

export const OrganizationId = Uuid.pipe(Schema.brand("OrganizationId"))
export type OrganizationId = typeof OrganizationId.Type

export const ApiKeyId = Uuid.pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

export const PersonaId = Uuid.pipe(Schema.brand("PersonaId"))
export type PersonaId = typeof PersonaId.Type

export const TopicId = Uuid.pipe(Schema.brand("TopicId"))
export type TopicId = typeof TopicId.Type

/** Identifies an assignment, which is one persona's part in one topic. The specification calls this id `share_id`. */
export const ShareId = Uuid.pipe(Schema.brand("ShareId"))
export type ShareId = typeof ShareId.Type

export const DraftId = Uuid.pipe(Schema.brand("DraftId"))
export type DraftId = typeof DraftId.Type

export const CommentaryId = Uuid.pipe(Schema.brand("CommentaryId"))
export type CommentaryId = typeof CommentaryId.Type

export const WebhookId = Uuid.pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

/** Identifies an event of an assignment or topic. In the API, the event's id has the form `evt_…`. */
export const EventId = Uuid.pipe(Schema.brand("EventId"))
export type EventId = typeof EventId.Type

/** Parses an id in upper or lower case, and returns the id in lower case. */
export const parse = <Id extends string>(_schema: Schema.Codec<Id, string>, text: string): Option.Option<Id> => {
  const id = text.toLowerCase()
  return isLowerCaseUuid(id) ? Option.some(id as Id) : Option.none()
}

/** Creates a time-ordered id from secure random bytes and the time of Effect's Clock. */
export const make = <Id extends string>(
  _schema: Schema.Codec<Id, string>,
  random: SecureRandom.SecureRandom["Service"]
) => random.uuidV7() as Effect.Effect<string> as Effect.Effect<Id>
