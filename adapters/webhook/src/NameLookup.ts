/**
 * Resolves host names to addresses that the egress guard allows. The socket itself uses the guarded lookup, so the
 * socket connects only to checked addresses. There is no second lookup in which an attacker could return another
 * address (DNS rebinding).
 */
import { Resolver, lookup as systemLookup } from "node:dns"
import { isIP, type LookupFunction } from "node:net"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as EgressGuard from "./EgressGuard.ts"
import * as Failure from "./Failure.ts"

/**
 * The flag `unknown` is true if the name does not exist or has no address. If `unknown` is false, the failure is
 * temporary.
 */
export class NameNotResolved extends Schema.TaggedError<NameNotResolved>()("NameNotResolved", {
  unknown: Schema.Boolean
}) {}

/** Returns all IPv4 and IPv6 addresses of a name. */
export type NameLookup = (name: string) => Effect.Effect<ReadonlyArray<string>, NameNotResolved>

const toNameNotResolved = (error: NodeJS.ErrnoException) =>
  new NameNotResolved({ unknown: error.code === "ENOTFOUND" || error.code === "ENODATA" })

/**
 * Resolves names with the resolver of the operating system, which also reads the hosts file. The resolver blocks a
 * thread of Node's thread pool.
 */
export const lookupWithSystemResolver: NameLookup = (name) =>
  Effect.callback((resume) =>
    systemLookup(name, { all: true }, (error, found) =>
      resume(
        error === null ? Effect.succeed(found.map(({ address }) => address)) : Effect.fail(toNameNotResolved(error))
      )
    )
  )

/**
 * Resolves names with name servers such as `192.0.2.1` or `192.0.2.1:53`. By default, the lookup uses the machine's
 * name servers. The lookup has a timeout and uses no thread of Node's pool, so that a partner's slow name server does
 * not delay other lookups.
 */
export const makeNameServerLookup = Effect.fnUntraced(function* (servers: ReadonlyArray<string> = []) {
  const resolver = yield* Effect.acquireRelease(
    Effect.sync(() => new Resolver({ timeout: 1500, tries: 2 })),
    (resolver) => Effect.sync(() => resolver.cancel())
  )
  if (servers.length > 0) resolver.setServers(servers)
  const ask = (family: "resolve4" | "resolve6", name: string) =>
    Effect.callback<ReadonlyArray<string>, NameNotResolved>((resume) =>
      resolver[family](name, (error, found) =>
        resume(error === null ? Effect.succeed(found) : Effect.fail(toNameNotResolved(error)))
      )
    )
  const lookup: NameLookup = Effect.fnUntraced(function* (name) {
    const both = [Effect.result(ask("resolve4", name)), Effect.result(ask("resolve6", name))]
    const answers = yield* Effect.all(both, { concurrency: 2 })
    const found = answers.flatMap((answer) => (Result.isSuccess(answer) ? answer.success : []))
    if (found.length > 0) return found
    return yield* new NameNotResolved({ unknown: answers.every((it) => Result.isFailure(it) && it.failure.unknown) })
  })
  return lookup
})

const makeLookupFailure = ({ unknown }: { readonly unknown: boolean }) =>
  Failure.makeRequestFailure(
    "dns",
    unknown ? "The receiver's host name does not resolve." : "The receiver's host name could not be looked up."
  )

/** Returns a lookup function for sockets. The function refuses a name if one of its addresses is not public. */
export const makePublicOnlyLookup = Effect.fnUntraced(function* (lookup: NameLookup, allowPrivate: boolean) {
  const run = Effect.runCallbackWith(yield* Effect.context<never>())
  const dialled = (name: string) =>
    Effect.flatMap(Effect.mapError(lookup(name), makeLookupFailure), (found) => {
      if (found.length === 0) return Effect.fail(makeLookupFailure({ unknown: true }))
      if (!allowPrivate && !found.every(EgressGuard.isPublicAddress))
        return Effect.fail(Failure.makeAddressNotPublicFailure())
      return Effect.succeed(found)
    })
  const guard: LookupFunction = (name, { all }, answer) =>
    run(dialled(name), {
      onExit: (exit) => {
        if (Exit.isFailure(exit)) return answer(Failure.toRequestFailure(Cause.squash(exit.cause)), [])
        const addresses = exit.value.map((address) => ({ address, family: isIP(address) }))
        if (all === true) answer(null, addresses)
        else answer(null, addresses[0]?.address ?? "", addresses[0]?.family)
      }
    })
  return guard
})
