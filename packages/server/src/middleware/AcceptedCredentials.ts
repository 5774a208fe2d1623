/**
 * Whose credentials were accepted lately. It decides only in whose turn a request is read: authentication follows, and does not
 * ask here. A credential that nobody accepted is a claim that costs nothing, so it earns no turn of its own.
 */
export interface AcceptedCredentials {
  readonly accept: (credential: string, owner: string) => void
  readonly ownerOf: (credential: string) => string | undefined
}

const capacity = 10_000

/** Characters. Longer credentials are not remembered, which bounds the memory. */
const longest = 2048

/** Milliseconds. A partner that calls less often waits behind callers without a key for one request. */
const lifetime = 15 * 60_000

interface Accepted {
  readonly owner: string
  readonly at: number
}

/** `now` is in milliseconds of a clock that is never put back. */
export const make = (now: () => number): AcceptedCredentials => {
  /** The one that was accepted longest ago comes first. */
  const known = new Map<string, Accepted>()
  return {
    accept: (credential, owner) => {
      if (credential === "" || credential.length > longest) return
      known.delete(credential)
      const [oldest] = known.size < capacity ? [] : known.keys()
      if (oldest !== undefined) known.delete(oldest)
      known.set(credential, { owner, at: now() })
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

/** The credential that a request claims, by its headers with names in lower case. */
export const credentialOf = (headers: Readonly<Record<string, unknown>>): string =>
  String(headers["x-api-key"] ?? headers["authorization"] ?? "")
