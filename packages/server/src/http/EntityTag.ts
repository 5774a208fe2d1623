/**
 * Builds the entity tags of topics from the revisions of their rows. The entity tags are weak: responses with equal
 * tags have the same meaning, but a proxy may compress the responses differently.
 */
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { hashSha256Hex } from "@partner-commentary/core/shared/Secret"
import type { TopicRevision } from "@partner-commentary/core/topic/TopicStore"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { viewFieldsHash } from "./ViewEdition.ts"

export type EntityTag = string

export const make = Effect.gen(function* () {
  const digest = yield* Digest.Digest
  const { apiRoot } = yield* PublicAddress
  // A tag must change when a view's fields change, and when the address of the default picture changes.
  const pictured = (yield* hashSha256Hex(digest, apiRoot + viewFieldsHash)).slice(0, 8)
  return {
    ofStatus: (revision: TopicRevision): EntityTag => `W/"${revision}.${viewFieldsHash}"`,
    /** Returns the entity tag of a topic view that contains the personas' pictures. */
    ofTopic: (revision: TopicRevision): EntityTag => `W/"${revision}.${pictured}"`,
    /**
     * Returns the entity tag of a list. The tag covers the order of the topics and all other content of the response.
     */
    ofList: (revisions: ReadonlyArray<string>, others: unknown): Effect.Effect<EntityTag> =>
      Effect.map(
        hashSha256Hex(digest, JSON.stringify([revisions, others])),
        (hex) => `W/"${hex.slice(0, 32)}.${viewFieldsHash}"`
      )
  }
})

/** The maximum length of the header in characters, as the API description states. */
const longestHeader = 4096

/** Compares entity tags weakly, as RFC 9110 requires for `If-None-Match`. The comparison ignores the prefix `W/`. */
export const matchesIfNoneMatch = (ifNoneMatch: string | undefined, tag: EntityTag): boolean => {
  if (ifNoneMatch === undefined || ifNoneMatch.length > longestHeader) return false
  const opaque = tag.replace(/^W\//, "")
  return ifNoneMatch.split(",").some((one) => {
    const given = one.trim()
    return given === "*" || given.replace(/^W\//, "") === opaque
  })
}

export const makeNotModifiedResponse = (tag: EntityTag): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 304, headers: { etag: tag } })
