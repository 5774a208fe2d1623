/**
 * Caches the JWKS of an identity provider. While the provider cannot be reached, the cached keys remain valid for up to
 * 24 hours.
 */
import { IdentityUnreachable, TokenRefused } from "@partner-commentary/core/access/DashboardTokenVerifier"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { limitResponseSize } from "@partner-commentary/core/shared/ResponseLimit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { CryptoKey, ProtectedHeaderParameters } from "jose"
import { JWKSNoMatchingKey } from "jose/errors"
import { createRemoteJWKSet, customFetch, type FetchImplementation, type RemoteJWKSet } from "jose/jwks/remote"

/**
 * The age at which the cache fetches the keys again. While the provider responds, a key that the provider has withdrawn
 * is accepted for at most 10 minutes.
 */
const freshness = Duration.minutes(10)

/** The maximum age of cached keys while the provider cannot be reached. */
const endurance = Duration.hours(24)

/** The minimum time between two fetches, whether or not the first fetch succeeded. */
const pause = Duration.seconds(10)

/** The time limit of one fetch. */
const timeout = Duration.seconds(3)

/** The maximum size of a key set in bytes after decompression. A single key has about 1 KiB. */
const largest = 1024 * 1024

const tooLarge = new Error("the key set is larger than 1 MiB")

const boundedFetch: FetchImplementation = (url, options) =>
  fetch(url, options).then(limitResponseSize(largest, tooLarge))

/**
 * Makes a key set that the jose library fetches and parses. This module decides by Effect's clock when the key set is
 * fetched.
 */
export const makeRemoteKeySet = (url: string): RemoteJWKSet =>
  createRemoteJWKSet(new URL(url), {
    [customFetch]: boundedFetch,
    timeoutDuration: Duration.toMillis(timeout),
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY
  })

/** Fetches the keys of the provider. A failure contains a reason for the operator. */
export const fetchKeySet = (keys: RemoteJWKSet): Effect.Effect<void, IdentityUnreachable> =>
  Effect.tryPromise({
    try: () => keys.reload(),
    catch: (error) => new IdentityUnreachable({ reason: reasonOf(error as Error) })
  })

const reasonOf = (error: Error): string =>
  (error.cause instanceof Error ? error.cause.message || error.message : error.message).replace(/[\p{Cc}\s]+/gu, " ")

export const makeJwksCache = Effect.fnUntraced(function* (url: string) {
  const keys = makeRemoteKeySet(url)
  const turn = yield* Semaphore.make(1)
  const state = {
    readAt: Number.NEGATIVE_INFINITY as Instant.Instant,
    notBefore: Number.NEGATIVE_INFINITY as Instant.Instant,
    failure: null as IdentityUnreachable | null
  }
  const isOlderThan = (age: Duration.Duration) =>
    Effect.map(Instant.now, (now) => now >= Instant.plus(state.readAt, age))

  /**
   * Fetches the keys, with only one fetch at a time. Callers that waited for a running fetch do not start another
   * fetch.
   */
  const refresh = turn.withPermit(
    Effect.gen(function* () {
      const now = yield* Instant.now
      if (now < state.notBefore) return
      state.notBefore = Instant.plus(now, pause)
      state.failure = yield* Effect.match(fetchKeySet(keys), { onFailure: (failure) => failure, onSuccess: () => null })
      if (state.failure === null) state.readAt = now
      else {
        const consequence = (yield* isOlderThan(endurance)) ? none : `Its known keys serve on, for ${longest} at most.`
        yield* Effect.logWarning(`${state.failure.message}. ${consequence}`)
      }
    })
  )

  /** Returns the key for a token header, or none if the cached keys do not contain the key. */
  const lookUp = (header: ProtectedHeaderParameters): Effect.Effect<Option.Option<CryptoKey>, TokenRefused> =>
    Effect.catch(
      Effect.tryPromise({ try: () => keys(header), catch: (error) => error }).pipe(Effect.asSome),
      (error) =>
        error instanceof JWKSNoMatchingKey ? Effect.succeedNone : Effect.fail(new TokenRefused({ expired: false }))
    )

  /**
   * Returns the key whose id is in the token header. If the key is unknown and the provider does not respond, the
   * look-up fails, because the key may be new.
   */
  return Effect.fnUntraced(function* (header: ProtectedHeaderParameters) {
    if (yield* isOlderThan(freshness)) yield* refresh
    if (!(yield* isOlderThan(endurance))) {
      const known = yield* lookUp(header)
      if (Option.isSome(known)) return known.value
      yield* refresh
      const published = yield* lookUp(header)
      if (Option.isSome(published)) return published.value
    }
    return yield* state.failure ?? new TokenRefused({ expired: false })
  })
})

const none = "No token can be judged until it answers."

const longest = Duration.format(endurance)
