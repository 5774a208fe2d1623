/**
 * Executes a request with an idempotency key only once. The response is stored in the same transaction as the request's
 * change. A repeated request gets the stored response. The server package reads the idempotency keys from requests.
 */
import * as Context from "effect/Context"
import * as Digest from "effect/crypto/Digest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Encryption } from "../shared/Encryption.ts"
import type { OrganizationId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Environment } from "../shared/Owner.ts"
import { Policy } from "../shared/Policy.ts"
import { hashSha256Hex } from "../shared/Secret.ts"
import { Transaction } from "../shared/Transaction.ts"
import { type BodyFingerprints, compareFingerprints, makeBodyFingerprinter as makeFingerprints } from "./Fingerprint.ts"
import { IdempotencyStore, type StoredResponse } from "./IdempotencyStore.ts"

/**
 * A request with an idempotency key. Keys with the same text are different keys if the organization, environment,
 * method or path differs.
 */
export interface IdempotentRequest {
  readonly organizationId: OrganizationId
  /**
   * The environment of the API key. The environment is `dashboard` for a request with a dashboard token, because such a
   * token has no environment.
   */
  readonly environment: Environment | "dashboard"
  readonly method: string
  readonly path: string
  readonly key: string
  /** The fingerprints of the request's body. */
  readonly fingerprints: BodyFingerprints
  /** The name of a part of the request that has its own transaction and stored response; `""` for the whole request. */
  readonly part: string
}

export interface ResponseToStore {
  readonly status: number
  /** The value of the response's `Location` header. */
  readonly location: string | null
  readonly body: string
  /**
   * True if the body contains a secret, so that the stored body must be encrypted. The decryption of a stored body
   * needs the idempotency key.
   */
  readonly secret: boolean
}

export interface IdempotentResponse extends Pick<ResponseToStore, "status" | "location" | "body"> {
  /** True if the response was stored by an earlier request. */
  readonly replayed: boolean
}

/**
 * `other_body`: the idempotency key was used with another body. `running`: the first request did not finish within the
 * waiting time. `unreadable`: the signing secret that the stored response or fingerprint needs is no longer configured.
 */
export class IdempotencyKeyRejected extends Schema.TaggedError<IdempotencyKeyRejected>()("IdempotencyKeyRejected", {
  reason: Schema.Literals(["other_body", "running", "unreadable"])
}) {}

/**
 * A concurrent request with the same idempotency key stored its response first. `once` catches
 * `ResponseStoredConcurrently` and returns the stored response.
 */
export class ResponseStoredConcurrently extends Schema.TaggedError<ResponseStoredConcurrently>()(
  "ResponseStoredConcurrently",
  {}
) {}

/** Makes a change and stores its response in one transaction. If the change fails, no response is stored. */
export type RunChangeAndStoreResponse = <E, R>(
  change: Effect.Effect<ResponseToStore, E, R>
) => Effect.Effect<ResponseToStore, E | ResponseStoredConcurrently | IdempotencyKeyRejected, R>

export class Idempotency extends Context.Service<
  Idempotency,
  {
    readonly fingerprints: (body: Uint8Array<ArrayBuffer>) => Effect.Effect<BodyFingerprints>
    /**
     * Returns the stored response, or runs the attempt if no response is stored. `attempt` makes its external calls and
     * then passes its database change to `keep`. If a concurrent request finishes first, `once` returns the response of
     * that request, even if this attempt has failed.
     */
    readonly once: <E, R>(
      request: IdempotentRequest,
      attempt: (keep: RunChangeAndStoreResponse) => Effect.Effect<ResponseToStore, E, R>
    ) => Effect.Effect<IdempotentResponse, Exclude<E, ResponseStoredConcurrently> | IdempotencyKeyRejected, R>
  }
>()("@partner-commentary/core/idempotency/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const transaction = yield* Transaction
      const encryption = yield* Encryption
      const digest = yield* Digest.Digest
      const fingerprints = yield* makeFingerprints
      const { idempotencyWindow } = yield* Policy

      const find = Effect.fnUntraced(function* (id: string, request: IdempotentRequest) {
        const found = yield* store.find(id, yield* Instant.now)
        if (Option.isNone(found)) return Option.none<IdempotentResponse>()
        const { fingerprint, location, encrypted, status } = found.value
        const compared = compareFingerprints(request.fingerprints, fingerprint)
        if (compared !== "same") {
          return yield* new IdempotencyKeyRejected({ reason: compared === "other" ? "other_body" : "unreadable" })
        }
        const body = encrypted
          ? yield* encryption.decrypt(purposeOf(request), found.value.body)
          : Option.some(found.value.body)
        if (Option.isNone(body)) return yield* new IdempotencyKeyRejected({ reason: "unreadable" })
        return Option.some<IdempotentResponse>({ status, location, body: body.value, replayed: true })
      })

      const toKept = (
        request: IdempotentRequest,
        { body, location, secret, status }: ResponseToStore
      ): Effect.Effect<StoredResponse> =>
        secret
          ? Effect.map(encryption.encrypt(purposeOf(request), body), (text) => ({
              status,
              location,
              body: text,
              encrypted: true
            }))
          : Effect.succeed({ status, location, body, encrypted: false })

      const keeping = (id: string, request: IdempotentRequest): RunChangeAndStoreResponse => {
        const keep = <E, R>(
          change: Effect.Effect<ResponseToStore, E, R>,
          waited: number
        ): Effect.Effect<ResponseToStore, E | ResponseStoredConcurrently | IdempotencyKeyRejected, R> =>
          Effect.gen(function* () {
            const at = yield* Instant.now
            const until = Instant.plus(at, idempotencyWindow)
            const claimed = yield* store.claim({ id, fingerprint: request.fingerprints[0], at, until })
            if (claimed === "kept") return yield* new ResponseStoredConcurrently()
            if (claimed === "running") return yield* new Running()
            const answer = yield* change
            yield* store.keep(id, yield* toKept(request, answer))
            return answer
          }).pipe(
            transaction.run,
            Effect.catchIf(
              (error) => error instanceof Running,
              () => {
                const delay = Math.min(waited + shortestDelay, longestDelay, timeout - waited)
                return delay <= 0
                  ? Effect.fail(new IdempotencyKeyRejected({ reason: "running" }))
                  : Effect.delay(keep(change, waited + delay), delay)
              }
            )
          ) as Effect.Effect<ResponseToStore, E | ResponseStoredConcurrently | IdempotencyKeyRejected, R>
        return (change) => keep(change, 0)
      }

      const once = <E, R>(
        id: string,
        request: IdempotentRequest,
        attempt: (keep: RunChangeAndStoreResponse) => Effect.Effect<ResponseToStore, E, R>
      ): Effect.Effect<IdempotentResponse, Exclude<E, ResponseStoredConcurrently> | IdempotencyKeyRejected, R> =>
        Effect.flatMap(
          find(id, request),
          Option.match({
            onSome: Effect.succeed,
            onNone: () =>
              attempt(keeping(id, request)).pipe(
                Effect.map(
                  ({ body, location, status }): IdempotentResponse => ({ status, location, body, replayed: false })
                ),
                Effect.catch((error) =>
                  error instanceof ResponseStoredConcurrently
                    ? once(id, request, attempt)
                    : Effect.flatMap(
                        find(id, request),
                        Option.match({
                          onSome: Effect.succeed,
                          onNone: () => Effect.fail(error as Exclude<E, ResponseStoredConcurrently>)
                        })
                      )
                )
              )
          })
        )

      return Idempotency.of({
        fingerprints,
        once: (request, attempt) => Effect.flatMap(idOf(digest, request), (id) => once(id, request, attempt))
      })
    })
  )
}

/**
 * The internal error `Running` means that another transaction holds the claim on the idempotency key. After a `Running`
 * error, `keep` tries again to claim the idempotency key.
 */
class Running extends Schema.TaggedError<Running>()("Running", {}) {}

/**
 * The delays in milliseconds between a duplicate request's attempts to claim the idempotency key. Before the second
 * attempt, a duplicate request waits 20 ms. Each delay is twice as long as the previous delay, but at most 500 ms. A
 * duplicate request fails after 10 seconds in total.
 */
const shortestDelay = 20
const longestDelay = 500
const timeout = Duration.toMillis(Duration.seconds(10))

const idOf = (
  digest: Digest.Digest["Service"],
  { environment, key, method, organizationId, part, path }: IdempotentRequest
): Effect.Effect<string> =>
  hashSha256Hex(digest, JSON.stringify([organizationId, environment, method, path, key, part]))

/**
 * The encryption key of a stored response depends on the idempotency key. The database stores only the key's hash, so a
 * reader of the database cannot decrypt the response.
 */
const purposeOf = ({ key, part }: IdempotentRequest): string => `idempotency ${part} ${key}`
