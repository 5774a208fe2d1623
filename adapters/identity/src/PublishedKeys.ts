/** The keys that an identity provider publishes: read anew now and then, and kept while it cannot be reached. */
import { IdentityUnreachable, TokenRefused } from "@partner-commentary/core/access/DashboardIdentity"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { limited } from "@partner-commentary/core/shared/ResponseLimit"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import type { CryptoKey, ProtectedHeaderParameters } from "jose"
import { JWKSNoMatchingKey } from "jose/errors"
import { createRemoteJWKSet, customFetch, type FetchImplementation, type RemoteJWKSet } from "jose/jwks/remote"

/** So long are keys used before they are read anew: a key that was withdrawn works for no longer. */
const freshness = Duration.minutes(10)

/** So long are keys used that cannot be read anew. */
const endurance = Duration.hours(24)

/** Between two readings, whatever asks for them and whatever came of the first. */
const pause = Duration.seconds(10)

/** For one reading. */
const timeout = Duration.seconds(3)

/** Of one key set, after decompression. A key has about 1 KiB. */
const largest = 1024 * 1024

const tooLarge = new Error("the key set is larger than 1 MiB")

const boundedFetch: FetchImplementation = (url, options) => fetch(url, options).then(limited(largest, tooLarge))

/** Ours says when to read, by Effect's Clock; jose reads. */
export const remote = (url: string): RemoteJWKSet =>
  createRemoteJWKSet(new URL(url), {
    [customFetch]: boundedFetch,
    timeoutDuration: Duration.toMillis(timeout),
    cacheMaxAge: Number.POSITIVE_INFINITY,
    cooldownDuration: Number.POSITIVE_INFINITY
  })

/** Fails with why not, for an operator. */
export const read = (keys: RemoteJWKSet): Effect.Effect<void, IdentityUnreachable> =>
  Effect.tryPromise({
    try: () => keys.reload(),
    catch: (error) => new IdentityUnreachable({ reason: reasonOf(error as Error) })
  })

const reasonOf = (error: Error): string =>
  (error.cause instanceof Error ? error.cause.message || error.message : error.message).replace(/[\p{Cc}\s]+/gu, " ")

export const make = Effect.fnUntraced(function* (url: string) {
  const keys = remote(url)
  const turn = yield* Semaphore.make(1)
  const state = {
    readAt: Number.NEGATIVE_INFINITY as Instant.Instant,
    notBefore: Number.NEGATIVE_INFINITY as Instant.Instant,
    failure: null as IdentityUnreachable | null
  }
  const isOlderThan = (age: Duration.Duration) =>
    Effect.map(Instant.now, (now) => now >= Instant.plus(state.readAt, age))

  /** One at a time: who waited for another's reading needs none. */
  const refresh = turn.withPermit(
    Effect.gen(function* () {
      const now = yield* Instant.now
      if (now < state.notBefore) return
      state.notBefore = Instant.plus(now, pause)
      state.failure = yield* Effect.match(read(keys), { onFailure: (failure) => failure, onSuccess: () => null })
      if (state.failure === null) state.readAt = now
      else {
        const consequence = (yield* isOlderThan(endurance)) ? none : `Its known keys serve on, for ${longest} at most.`
        yield* Effect.logWarning(`${state.failure.message}. ${consequence}`)
      }
    })
  )

  /** None: no such key among those that were read. */
  const lookUp = (header: ProtectedHeaderParameters): Effect.Effect<Option.Option<CryptoKey>, TokenRefused> =>
    Effect.catch(
      Effect.tryPromise({ try: () => keys(header), catch: (error) => error }).pipe(Effect.asSome),
      (error) =>
        error instanceof JWKSNoMatchingKey ? Effect.succeedNone : Effect.fail(new TokenRefused({ expired: false }))
    )

  /** The key that a token's header names. Without an answer of the issuer nobody knows that there is none. */
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
