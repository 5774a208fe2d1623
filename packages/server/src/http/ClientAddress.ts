/**
 * Finds the client's address. The client's address is the socket's address unless a trusted proxy forwards another
 * address.
 */
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import * as Context from "effect/Context"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import type { CallerCredentials } from "../middleware/Authorization.ts"

/** The proxies whose `X-Forwarded-For` header is trusted. By default, no proxy is trusted. */
export const TrustedProxies = Context.Reference<IpAllowList.IpAllowList>(
  "@partner-commentary/reference/TrustedProxies",
  {
    defaultValue: () => []
  }
)

/**
 * Returns the right-most forwarded address that is not a trusted proxy. The search ends at an invalid entry, because
 * the client can forge all entries to the left of the invalid entry. If the search ends at an invalid forwarded
 * address, the function returns `unknown by` followed by the socket's address. No allow list accepts an unknown
 * address, and the request counts toward the rate limit of the socket's address. The function returns `""` when the
 * socket's address is unknown.
 */
export const resolveClientAddress = (
  socket: string,
  forwardedFor: string | undefined,
  proxies: IpAllowList.IpAllowList
): string => {
  if (forwardedFor === undefined || proxies.length === 0 || !IpAllowList.allowsAddress(proxies, socket)) return socket
  for (const entry of forwardedFor.split(",").toReversed()) {
    const address = parseForwardedAddress(entry)
    if (address === undefined) return `unknown by ${socket}`
    if (!IpAllowList.allowsAddress(proxies, address)) return address
  }
  return socket
}

/** Parses one entry of `X-Forwarded-For`; returns undefined when the entry is invalid. */
export const parseForwardedAddress = (entry: string): string | undefined => {
  const [, bracketed, plain] = withPort.exec(entry.trim()) ?? []
  const address = bracketed ?? plain ?? entry.trim()
  return IpAllowList.isAddress(address) ? address : undefined
}

/** Matches an address with the port that some proxies append: `203.0.113.9:4711`, `[2001:db8::1]:443`. */
const withPort = /^(?:\[([^\]]*)\](?::\d{1,5})?|([^:]*):\d{1,5})$/

export const findClientAddress = (
  { headers, remoteAddress }: HttpServerRequest,
  proxies: IpAllowList.IpAllowList
): string =>
  resolveClientAddress(
    Option.getOrElse(remoteAddress, () => ""),
    headers["x-forwarded-for"],
    proxies
  )

/** Returns the caller's API key and the client's address. */
export const readCallerCredentials = (
  request: HttpServerRequest,
  proxies: IpAllowList.IpAllowList
): CallerCredentials => ({
  key: request.headers["x-api-key"] ?? "",
  address: findClientAddress(request, proxies)
})
