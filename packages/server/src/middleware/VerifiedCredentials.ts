/**
 * Caches recently verified credentials. The service uses the cache only to choose the queue in which a request waits.
 * Authentication does not use the cache of verified credentials. All requests with unverified credentials share the
 * queue of anonymous callers, because anyone can invent credentials.
 */
export interface VerifiedCredentials {
  readonly accept: (credential: string, owner: string) => void
  readonly ownerOf: (credential: string) => string | undefined
}

const capacity = 10_000

/**
 * The maximum length of a cached credential, in characters. The cache ignores longer credentials, so that its memory is
 * bounded.
 */
const longest = 2048

/**
 * The lifetime of a cache entry in milliseconds. If a partner sends no request for longer than the lifetime, the next
 * request waits in the queue of anonymous callers.
 */
const lifetime = 15 * 60_000

/**
 * The refresh interval in milliseconds. A credential that is verified again within the interval is not moved to the end
 * of the map.
 */
const refreshInterval = 1000

interface Accepted {
  readonly owner: string
  readonly at: number
}

/** Creates a cache of verified credentials. `now` returns the time of a monotonic clock in milliseconds. */
export const make = (now: () => number): VerifiedCredentials => {
  /** The first entry of the map is the credential with the oldest verification. */
  const known = new Map<string, Accepted>()
  return {
    accept: (credential, owner) => {
      if (credential === "" || credential.length > longest) return
      const at = now()
      const found = known.get(credential)
      if (found?.owner === owner && at - found.at < refreshInterval) return
      known.delete(credential)
      const [oldest] = known.size < capacity ? [] : known.keys()
      if (oldest !== undefined) known.delete(oldest)
      known.set(credential, { owner, at })
    },
    ownerOf: (credential) => {
      const found = known.get(credential)
      if (found === undefined) return undefined
      if (now() - found.at < lifetime) return found.owner
      known.delete(credential)
      return undefined
    }
  }
}

/**
 * Returns the credential in the request's headers. The header names must be in lower case. The returned credential is
 * not verified.
 */
export const readCredential = (headers: Readonly<Record<string, unknown>>): string =>
  String(headers["x-api-key"] ?? headers["authorization"] ?? "")
