/**
 * Maps errors of a webhook request to a failure code and a sentence. Partners can read the failure's sentence, so the
 * sentence contains no addresses and no internal details.
 */
import { NoWebhookResponse, type WebhookTransportFailure } from "@partner-commentary/core/webhook/WebhookTransport"
import * as Duration from "effect/Duration"

export const makeRequestFailure = (failure: WebhookTransportFailure, reason: string) =>
  new NoWebhookResponse({ failure, reason })

export const makeTimeoutFailure = (bound: Duration.Duration) =>
  makeRequestFailure("timeout", `The receiver did not complete its answer within ${Duration.format(bound)}.`)

export const makeResponseTooLongFailure = (bytes: number) =>
  makeRequestFailure("http", `The receiver sent more than ${bytes / 1024} KiB without completing its answer.`)

export const makeAddressNotPublicFailure = () =>
  makeRequestFailure("blocked", "The receiver's host name resolves to a private or reserved network.")

const untrusted =
  "The receiver's TLS certificate is not from an authority that we know, or the chain that it sends is incomplete."

const certificates: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "The receiver's TLS certificate has expired.",
  CERT_NOT_YET_VALID: "The receiver's TLS certificate is not valid yet.",
  CERT_REVOKED: "The receiver's TLS certificate was revoked.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The receiver's TLS certificate is for another host name.",
  CERT_SIGNATURE_FAILURE: untrusted,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted
}

const unreachable = new Set([
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EHOSTDOWN",
  "ENETDOWN",
  "EADDRNOTAVAIL",
  "EACCES",
  "EPERM"
])

/** Matches error codes of TLS: protocol errors, and OpenSSL's names of certificate errors. */
const tls =
  /SSL|TLS|^EPROTO$|CERT|CRL|SIGNATURE|^UNABLE_TO_|^INVALID_(CA|PURPOSE)$|^PATH_LENGTH|^HOSTNAME_MISMATCH$|^UNSPECIFIED$/

/** Returns the code of a Node error. If Node tried several addresses, the code belongs to the first address. */
const codeOf = (cause: unknown): string =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : ""

export const toRequestFailure = (cause: unknown): NoWebhookResponse => {
  if (cause instanceof NoWebhookResponse) return cause
  const code = codeOf(cause)
  if (code === "ECONNREFUSED") return makeRequestFailure("refused", "The receiver refuses connections.")
  if (unreachable.has(code)) return makeRequestFailure("refused", "The receiver cannot be reached.")
  if (code === "ETIMEDOUT") return makeRequestFailure("timeout", "The receiver did not accept a connection in time.")
  if (code.startsWith("HPE_")) return makeRequestFailure("http", "What the receiver answered is not HTTP.")
  if (tls.test(code))
    return makeRequestFailure("tls", certificates[code] ?? "No TLS connection with the receiver came about.")
  return makeRequestFailure("reset", "The receiver closed the connection before its answer was complete.")
}
