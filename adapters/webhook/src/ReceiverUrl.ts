/**
 * Checks the text of a webhook URL, with the same URL parser as browsers. The host must be spelled as the parser
 * normalizes it, so that other parsers cannot read another host. This module resolves no host names, because
 * `NameLookup` checks the addresses of a host at each connection.
 */
import { isIP } from "node:net"
import { domainToUnicode } from "node:url"
import { WebhookUrlRefused } from "@partner-commentary/core/webhook/WebhookTransport"
import * as Result from "effect/Result"
import * as EgressGuard from "./EgressGuard.ts"

export interface ReceiverUrlRules {
  /** Allows `http:` URLs, and hosts with any name in any network, for development. */
  readonly allowPrivate: boolean
  /** The ports that a URL may use. If the value is null, every port is allowed. */
  readonly ports: ReadonlyArray<number> | null
}

export interface ReceiverUrl {
  readonly secure: boolean
  /** The host name in ASCII, or an IP address without brackets. */
  readonly host: string
  readonly isAddress: boolean
  readonly port: number
  /** The host and port in the form of the `Host` header. */
  readonly authority: string
  /** The path and query of the URL. */
  readonly target: string
}

const longest = 2048

/** Host names that each network may resolve differently. `arpa` contains `home.arpa` and the reverse zones. */
const localNames = /(^|\.)(localhost|local|localdomain|internal|intranet|private|corp|home|lan|arpa|onion|alt)$/

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/

const refuse = (constraint: string) => Result.fail(new WebhookUrlRefused({ constraint }))

export const parseReceiverUrl = (
  text: string,
  { allowPrivate, ports }: ReceiverUrlRules
): Result.Result<ReceiverUrl, WebhookUrlRefused> => {
  if (text.length > longest) return refuse(`must have at most ${longest} characters`)
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(text)) return refuse("must not contain spaces, control characters or backslashes")
  const scheme = /^([^:/?#]*):/.exec(text)?.[1]?.toLowerCase()
  if (scheme !== "https" && !(allowPrivate && scheme === "http")) {
    return refuse(allowPrivate ? "must be an https: or http: address" : "must be an https: address")
  }
  const written = /^[^:]+:\/\/([^/?#]+)/.exec(text)?.[1]
  const url = URL.parse(text)
  if (written === undefined || url === null) {
    return refuse("must be a whole address, such as https://example.com/webhooks")
  }
  if (written.includes("@")) return refuse("must not contain a user name or password")
  if (text.includes("#")) return refuse("must not contain a fragment (#): it would not be sent")
  const secure = url.protocol === "https:"
  const port = url.port === "" ? (secure ? 443 : 80) : Number(url.port)
  if (port === 0 || (ports !== null && !ports.includes(port))) return refuse(`must use port ${formatPorts(ports)}`)
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const isAddress = isIP(host) !== 0
  if (!saysItsHost(written.replace(/:\d*$/, ""), url.hostname)) {
    return refuse("must spell its host plainly, such as example.com or, for an address, four decimal numbers")
  }
  const refusal = allowPrivate ? null : isAddress ? refuseAddress(host) : refuseName(host)
  return (
    refusal ??
    Result.succeed({ secure, host, isAddress, port, authority: url.host, target: `${url.pathname}${url.search}` })
  )
}

/**
 * Returns whether the URL spells its host in the normalized form. The result is false for percent-encoded, octal,
 * hexadecimal, short and full-width hosts. An IPv6 address in brackets is accepted in every spelling, because it has
 * only one meaning.
 */
const saysItsHost = (written: string, hostname: string) =>
  hostname.startsWith("[") ||
  written.toLowerCase() === hostname ||
  written.normalize("NFC").toLowerCase() === domainToUnicode(hostname)

const refuseAddress = (host: string) =>
  EgressGuard.isPublicAddress(host) ? null : refuse("must not be an address of a private or reserved network")

const refuseName = (host: string) => {
  if (host.endsWith(".")) return refuse("must not end its host name with a dot")
  const labels = host.split(".")
  if (host.length > 253 || !labels.every((part) => label.test(part))) {
    return refuse("must name a host as the domain name system allows")
  }
  if (labels.length === 1 || localNames.test(host)) {
    return refuse("must name a host of the public internet, such as example.com")
  }
  return null
}

const formatPorts = (ports: ReadonlyArray<number> | null) => (ports === null ? "1 to 65535" : ports.join(" or "))
