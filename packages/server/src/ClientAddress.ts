/** Whose address a request comes from: the socket's, unless a trusted proxy speaks for somebody else. */
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import * as Context from "effect/Context"
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"

/** The proxies whose X-Forwarded-For is believed; by default none. */
export const TrustedProxies = Context.Reference<IpAllowList.IpAllowList>("@partner-commentary/server/TrustedProxies", {
  defaultValue: () => []
})

/** The right-most forwarded address that is not a trusted proxy itself; `""` where the host knows none. */
export const clientAddress = (
  request: HttpServerRequest.HttpServerRequest,
  proxies: IpAllowList.IpAllowList
): string => {
  const socket = Option.getOrElse(request.remoteAddress, () => "")
  if (proxies.length === 0 || !IpAllowList.allows(proxies, socket)) return socket
  const forwarded = (request.headers["x-forwarded-for"] ?? "").split(",").map((entry) => entry.trim())
  return forwarded.findLast((entry) => entry !== "" && !IpAllowList.allows(proxies, entry)) ?? socket
}
