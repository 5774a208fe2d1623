/**
 * Caches recently verified credentials. The cache decides only which queue a request waits in; the later authentication
 * does not use it. Requests with an unverified credential share the queue of anonymous callers, because anyone can
 * invent credentials.
 */
export interface VerifiedCredentials {
  readonly accept: (credential: string, owner: string) => void
  readonly ownerOf: (credential: string) => string | undefined
}

const capacity = 10_000

/** Characters. Longer credentials are not remembered, so that the memory is bounded. */
const longest = 2048

/**
 * Lifetime in milliseconds. After a longer break, a partner's first request waits in the queue of anonymous callers.
 */
const lifetime = 15 * 60_000

/** Milliseconds. A credential that was verified again within this time is not moved to the end of the map. */
const refreshInterval = 1000

interface Accepted {
  readonly owner: string
  readonly at: number
}

/** `now` is the time in milliseconds of a monotonic clock. */
export const make = (now: () => number): VerifiedCredentials => {
  /** The map's first entry is the credential that was verified longest ago. */
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

/** Returns the credential that a request claims, from its headers with lower-case names. */
export const credentialOf = (headers: Readonly<Record<string, unknown>>): string =>
  String(headers["x-api-key"] ?? headers["authorization"] ?? "")
