/**
 * Verifies webhook signatures according to version 1 of Standard Webhooks, with WebCrypto. `verifyWebhook` needs no
 * client.
 */
import { PartnerCommentaryError } from "./Errors.ts"
import type { WebhookEvent } from "./WebhookEvent.ts"

export type WebhookRefusal =
  | "missing_header"
  | "malformed_header"
  | "too_old"
  | "too_new"
  | "wrong_signature"
  | "missing_secret"
  | "malformed_secret"
  | "malformed_body"

/**
 * The verification failed: answer 400 or 401 and ignore the event. The reasons `missing_secret` and `malformed_secret`
 * mean that your own settings are wrong: answer 500, so that the service sends the event again.
 */
export class WebhookVerificationError extends PartnerCommentaryError {
  override name = "WebhookVerificationError"
  readonly reason: WebhookRefusal

  constructor(reason: WebhookRefusal, message: string) {
    super(message)
    this.reason = reason
  }
}

/** The request headers: a `Headers` object, Node's `request.headers`, or a record with header names in any case. */
export type WebhookHeaders =
  | { readonly get: (name: string) => string | null }
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

export interface VerifyWebhookOptions {
  /** The maximum difference in seconds between the timestamp and the current time, by default 300. */
  readonly toleranceSeconds?: number | undefined
  /** The current time for the check, instead of the local clock. */
  readonly now?: Date | undefined
}

const refuse = (reason: WebhookRefusal, message: string): never => {
  throw new WebhookVerificationError(reason, message)
}

const header = (headers: WebhookHeaders, name: string): string => {
  const found =
    typeof headers.get === "function"
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  const value = Array.isArray(found) ? found[0] : found
  return typeof value === "string" && value !== "" ? value : refuse("missing_header", `The header ${name} is missing.`)
}

const decoded = (base64: string): Uint8Array<ArrayBuffer> | null => {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}

const marker = "whsec_"

/**
 * Returns the key bytes of a secret. A secret `whsec_…` is decoded from base64, and any other secret is used as text.
 */
const keyOf = (secret: string) => {
  const bytes = secret.startsWith(marker) ? decoded(secret.slice(marker.length)) : new TextEncoder().encode(secret)
  if (bytes === null || bytes.length === 0) {
    return refuse("malformed_secret", "The webhook's secret is empty, or is not base64 after whsec_.")
  }
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"])
}

const secretsOf = (secret: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  const all: ReadonlyArray<unknown> = Array.isArray(secret) ? secret : [secret]
  const texts = all.filter((each) => typeof each === "string")
  return texts.length === 0 || texts.length < all.length
    ? refuse("missing_secret", "The webhook's secret is missing: pass a text or a list of texts.")
    : texts
}

const bytesOf = (body: string | Uint8Array | ArrayBuffer): Uint8Array => {
  if (typeof body === "string") return new TextEncoder().encode(body)
  // The check does not use `instanceof`, because `instanceof` fails for objects from another realm, such as a test
  // runner's sandbox.
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
  if (Object.prototype.toString.call(body) === "[object ArrayBuffer]") return new Uint8Array(body)
  throw new TypeError("verifyWebhook needs the raw body, not a parsed object.")
}

const sentAt = (timestamp: string, { now = new Date(), toleranceSeconds = 300 }: VerifyWebhookOptions): void => {
  if (!/^\d{1,12}$/.test(timestamp)) refuse("malformed_header", "webhook-timestamp is not a whole number of seconds.")
  const age = now.getTime() / 1000 - Number(timestamp)
  if (age > toleranceSeconds) refuse("too_old", `It was signed ${Math.floor(age)} seconds ago.`)
  if (age < -toleranceSeconds) refuse("too_new", `It was signed ${Math.floor(-age)} seconds from now: check the clock.`)
}

/**
 * Verifies the signature of a webhook request. Resolves with the event if the signature is valid, and otherwise rejects
 * with WebhookVerificationError. `body` must be the raw body, byte for byte. Pass several secrets while you migrate to
 * another webhook. An event can arrive more than once: store the `id` of handled events.
 */
export const verifyWebhook = async (
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | ReadonlyArray<string>,
  options: VerifyWebhookOptions = {}
): Promise<WebhookEvent> => {
  const keys = await Promise.all(secretsOf(secret).map(keyOf))
  const content = bytesOf(body)
  const id = header(headers, "webhook-id")
  const timestamp = header(headers, "webhook-timestamp")
  const signatures = header(headers, "webhook-signature")
    .split(" ")
    .flatMap((each) => (each.startsWith("v1,") ? [decoded(each.slice(3))] : []))
    .filter((each) => each !== null)
  sentAt(timestamp, options)

  const lead = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(lead.length + content.length)
  signed.set(lead)
  signed.set(content, lead.length)

  for (const key of keys) {
    for (const signature of signatures) {
      // `crypto.subtle.verify` compares the signatures in constant time.
      if (await crypto.subtle.verify("HMAC", key, signature, signed)) return eventIn(content)
    }
  }
  return refuse("wrong_signature", "No signature matches: the secret or the body differs.")
}

const eventIn = (content: Uint8Array): WebhookEvent => {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(content))
  } catch {
    return refuse("malformed_body", "The signature is valid, but the body is not JSON.")
  }
}
