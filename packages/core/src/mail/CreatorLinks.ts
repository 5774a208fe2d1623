/**
 * Makes and opens the signed links in creators' mails. A link's token contains an expiry time. The token of a request's
 * link also contains the assignment's id and a hash of the creator's address. The token of an inbox link contains the
 * creator's address. The state of the assignment decides which actions the link allows.
 */

import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Mac from "effect/crypto/Mac"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Ids from "../shared/Ids.ts"
import { ShareId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import { PublicAddress } from "../shared/PublicAddress.ts"
import { hashSha256Hex } from "../shared/Secret.ts"
import { refuseBlankSecrets, SigningSecrets } from "../shared/SigningSecrets.ts"
import type { Assignment } from "../topic/Assignment.ts"

/** The content of a valid token that has not expired. */
export type CreatorLinkTarget =
  | { readonly to: "assignment"; readonly shareId: ShareId; readonly creatorTag: string }
  | { readonly to: "desk"; readonly email: string }

/**
 * The lifetime of a creator's link covers the longest assignment: ten drafts of up to a week each, and thirty days in
 * which the closed request is readable.
 */
const assignmentLifetime = Duration.days(150)
const deskLifetime = Duration.minutes(15)

export class CreatorLinks extends Context.Service<
  CreatorLinks,
  {
    readonly toAssignment: (assignment: Assignment) => Effect.Effect<string>
    readonly toInbox: (email: string) => Effect.Effect<string>
    /** Returns the content of the token; none for a forged, mistyped or expired token. */
    readonly open: (token: string) => Effect.Effect<Option.Option<CreatorLinkTarget>>
    /** Returns true if the link was made for the assignment's current creator. */
    readonly isFor: (
      link: CreatorLinkTarget & { readonly to: "assignment" },
      assignment: Assignment
    ) => Effect.Effect<boolean>
  }
>()("@partner-commentary/core/mail/CreatorLinks") {
  static readonly layer = Layer.effect(
    CreatorLinks,
    Effect.gen(function* () {
      const mac = yield* Mac.Mac
      const digest = yield* Digest.Digest
      const { apiRoot } = yield* PublicAddress
      const secrets = yield* SigningSecrets
      yield* refuseBlankSecrets(secrets)
      const keys = yield* Effect.forEach(secrets, (secret) =>
        Effect.orDie(Mac.key(Mac.hmacSha256, utf8(`creator link ${Redacted.value(secret)}`)))
      )

      const tagOf = (email: string) => Effect.map(hashSha256Hex(digest, email.toLowerCase()), (hex) => hex.slice(0, 16))

      const link = Effect.fnUntraced(function* (lifetime: Duration.Duration, parts: ReadonlyArray<string>) {
        const expiry = Math.ceil(Instant.plus(yield* Instant.now, lifetime) / 1000).toString(36)
        const payload = Base64Url.encode([expiry, ...parts].join(" "))
        const tag = yield* Effect.orDie(mac.sign(keys[0] as Mac.Key, utf8(payload)))
        return `${apiRoot}/creator/${payload}.${Base64Url.encode(tag)}`
      })

      const isGenuine = Effect.fnUntraced(function* (payload: string, tag: Uint8Array) {
        for (const key of keys) if (yield* Effect.orDie(mac.verify(key, tag, utf8(payload)))) return true
        return false
      })

      return CreatorLinks.of({
        toAssignment: Effect.fnUntraced(function* (assignment) {
          return yield* link(assignmentLifetime, ["a", assignment.id, yield* tagOf(assignment.creator.email)])
        }),
        toInbox: (email) => link(deskLifetime, ["d", email]),
        open: Effect.fnUntraced(function* (token) {
          const [payload = "", tag = "", ...rest] = token.split(".")
          const bytes = Base64Url.decode(tag)
          const text = Base64Url.decodeString(payload)
          if (rest.length > 0 || Result.isFailure(bytes) || Result.isFailure(text)) return Option.none()
          // Reject other Base64 spellings of the same bytes, so that each link has only one valid token.
          if (Base64Url.encode(bytes.success) !== tag) return Option.none()
          if (!(yield* isGenuine(payload, bytes.success))) return Option.none()
          const [expiry = "", kind, subject = "", creatorTag = ""] = text.success.split(" ")
          if ((yield* Instant.now) >= Number.parseInt(expiry, 36) * 1000) return Option.none()
          if (kind === "d") return Option.some({ to: "desk", email: subject })
          return Option.map(Ids.parse(ShareId, subject), (shareId) => ({ to: "assignment", shareId, creatorTag }))
        }),
        isFor: (opened, assignment) => Effect.map(tagOf(assignment.creator.email), (tag) => tag === opened.creatorTag)
      })
    })
  )
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
