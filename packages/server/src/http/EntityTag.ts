/**
 * Entity tags of topics, from the versions of their rows. The tags are weak: two responses with the same tag have the
 * same meaning, but a proxy may compress them differently.
 */
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { hashText } from "@partner-commentary/core/shared/Secret"
import type { Revision } from "@partner-commentary/core/topic/TopicStore"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import { edition } from "./ViewEdition.ts"

export type EntityTag = string

export const make = Effect.gen(function* () {
  const digest = yield* Digest.Digest
  const { apiRoot } = yield* PublicAddress
  // A tag must change when the fields of the views change, and when the address of a displayed default picture changes.
  const pictured = (yield* hashText(digest, apiRoot + edition)).slice(0, 8)
  return {
    ofStatus: (revision: Revision): EntityTag => `W/"${revision}.${edition}"`,
    /** The tag of a topic's views with pictures of personas. */
    ofTopic: (revision: Revision): EntityTag => `W/"${revision}.${pictured}"`,
    /** The tag of a list. It covers the topics in their order, and everything else in the response. */
    ofList: (revisions: ReadonlyArray<string>, others: unknown): Effect.Effect<EntityTag> =>
      Effect.map(hashText(digest, JSON.stringify([revisions, others])), (hex) => `W/"${hex.slice(0, 32)}.${edition}"`)
  }
})

/** The description limits the header to this number of characters. */
const longestHeader = 4096

/** Compares weakly, as RFC 9110 requires for `If-None-Match`: the prefix `W/` is ignored. */
export const matches = (ifNoneMatch: string | undefined, tag: EntityTag): boolean => {
  if (ifNoneMatch === undefined || ifNoneMatch.length > longestHeader) return false
  const opaque = tag.replace(/^W\//, "")
  return ifNoneMatch.split(",").some((one) => {
    const given = one.trim()
    return given === "*" || given.replace(/^W\//, "") === opaque
  })
}

export const unchanged = (tag: EntityTag): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.empty({ status: 304, headers: { etag: tag } })
