/**
 * Authenticates the peer's callers: finds the key by its SHA-256, caches the key for a few seconds, and checks the
 * key's expiry, addresses and scope.
 */
import { createHash } from "node:crypto"
import { BlockList } from "node:net"
import type { FastifyReply, FastifyRequest } from "fastify"
import { enforceRateLimit } from "./Rate.ts"
import { RequestRefusal } from "./Refusal.ts"
import type { AuthenticatedCaller } from "./Store.ts"

declare module "fastify" {
  interface FastifyContextConfig {
    scope?: string
    /** The endpoint's own rate window. */
    limited?: string
  }
  interface FastifyRequest {
    caller: AuthenticatedCaller
  }
}

const memory = 3000
const unlimited = 1_000_000_000

interface Known {
  readonly caller: AuthenticatedCaller | undefined
  readonly scopes: ReadonlySet<string>
  readonly addresses: BlockList | undefined
  readonly until: number
}
/** Looks up a key, synchronously or asynchronously. */
interface Keys {
  readonly caller: (hash: string) => AuthenticatedCaller | undefined | Promise<AuthenticatedCaller | undefined>
}

/** The hook that sets the caller of a request or refuses the request. */
export const makeAuthenticationHook = (store: Keys) => {
  const known = new Map<string, Known>()

  const remember = (key: string, caller: AuthenticatedCaller | undefined, now: number): Known => {
    if (known.size > 10_000) known.clear()
    const list = JSON.parse(caller?.ip_allow_list ?? "[]") as ReadonlyArray<string>
    const addresses = list.length === 0 ? undefined : new BlockList()
    for (const address of list) addresses?.addAddress(address, address.includes(":") ? "ipv6" : "ipv4")
    const found = {
      caller,
      scopes: new Set<string>(JSON.parse(caller?.scopes ?? "[]")),
      addresses,
      until: now + memory
    }
    known.set(key, found)
    return found
  }

  return (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    const now = Date.now()
    const key = String(request.headers["x-api-key"] ?? "")
    const remembered = known.get(key)
    if (remembered !== undefined && remembered.until > now) return admit(remembered, request, reply, now, done)
    const found = store.caller(createHash("sha256").update(key).digest("hex"))
    if (!(found instanceof Promise)) return admit(remember(key, found, now), request, reply, now, done)
    found.then((caller) => admit(remember(key, caller, now), request, reply, now, done), done)
  }
}

const admit = (
  { addresses, caller, scopes }: Known,
  request: FastifyRequest,
  reply: FastifyReply,
  now: number,
  done: (error?: Error) => void
) => {
  if (caller === undefined || caller.suspended_at !== null) {
    return done(new RequestRefusal(401, "unauthorized", "The API key is missing or invalid."))
  }
  if (caller.revoked_at !== null) return done(new RequestRefusal(401, "key_revoked", "The API key was revoked."))
  if (caller.expires_at !== null && Date.parse(caller.expires_at) <= now) {
    return done(new RequestRefusal(401, "key_expired", "The API key has expired."))
  }
  if (addresses !== undefined && !addresses.check(request.ip, request.ip.includes(":") ? "ipv6" : "ipv4")) {
    return done(new RequestRefusal(401, "ip_restricted", "The API key cannot be used from this address."))
  }
  const { limited, scope } = request.routeOptions.config
  const refused = enforceRateLimit(caller.organization_id, limited, unlimited, reply, now)
  if (refused !== undefined) return done(refused)
  if (scope !== undefined && !scopes.has(scope)) {
    return done(new RequestRefusal(401, "scope_denied", `The API key lacks the scope ${scope}.`))
  }
  request.caller = caller
  done()
}
