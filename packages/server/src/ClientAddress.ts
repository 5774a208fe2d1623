/** Whose address a request comes from: the socket's, unless a trusted proxy speaks for somebody else. */
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import * as Context from "effect/Context"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"
import type { Caller } from "./Admission.ts"

/** The proxies whose X-Forwarded-For is believed; by default none. */
export const TrustedProxies = Context.Reference<IpAllowList.IpAllowList>("@partner-commentary/server/TrustedProxies", {
  defaultValue: () => []
})

/**
 * The right-most forwarded address that is not a trusted proxy itself. Where what stands there is no address, it is `unknown by`
 * the socket's: no allow list lets it in, and it is counted with the socket. A host that knows no socket's address says `""`.
 */
export const clientAddress = (
  socket: string,
  forwardedFor: string | undefined,
  proxies: IpAllowList.IpAllowList
): string => {
  if (proxies.length === 0 || !IpAllowList.allows(proxies, socket)) return socket
  const forwarded = (forwardedFor ?? "").split(",").map(withoutPort)
  const client = forwarded.findLast((entry) => entry !== "" && !IpAllowList.allows(proxies, entry))
  if (client === undefined) return socket
  return IpAllowList.isAddress(client) ? client : `unknown by ${socket}`
}

/** Some proxies append the port: `203.0.113.9:4711`, `[2001:db8::1]:443`. */
export const withoutPort = (entry: string): string => {
  const text = entry.trim()
  if (text.startsWith("[")) return text.slice(1).split("]", 1)[0] ?? ""
  const [host = "", ...ports] = text.split(":")
  return ports.length === 1 ? host : text
}

export const addressOf = ({ headers, remoteAddress }: HttpServerRequest, proxies: IpAllowList.IpAllowList): string =>
  clientAddress(
    Option.getOrElse(remoteAddress, () => ""),
    headers["x-forwarded-for"],
    proxies
  )

/** What a request shows of its caller. */
export const callerOf = (request: HttpServerRequest, proxies: IpAllowList.IpAllowList): Caller => ({
  key: request.headers["x-api-key"] ?? "",
  address: addressOf(request, proxies)
})
