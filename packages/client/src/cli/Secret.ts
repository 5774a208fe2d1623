/** Generates a webhook secret, and signs events as the service does, according to Standard Webhooks. */
import { UsageError } from "./Terminal.ts"

const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes))

export const generateSecret = (): string => `whsec_${base64(crypto.getRandomValues(new Uint8Array(32)))}`

const decoded = (text: string): Uint8Array<ArrayBuffer> => {
  try {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    // Accept only canonical base64, because the service also rejects other spellings when a webhook is registered.
    return base64(bytes) === text ? bytes : new Uint8Array()
  } catch {
    return new Uint8Array()
  }
}

/** Returns the HMAC key of a secret. Throws a UsageError if the service would reject the secret at registration. */
const keyOf = (secret: string): Uint8Array<ArrayBuffer> => {
  if (secret.startsWith("whsec_")) {
    const bytes = decoded(secret.slice("whsec_".length))
    if (bytes.length >= 24 && bytes.length <= 64) return bytes
  } else if (/^[\x20-\x7e]{32,256}$/.test(secret)) return new TextEncoder().encode(secret)
  throw new UsageError(
    "--secret must be whsec_ with 24 to 64 bytes in base64, or 32 to 256 printable ASCII characters."
  )
}

export type SignEvent = (id: string, body: string) => Promise<Readonly<Record<string, string>>>

export const makeSigner = async (secret: string): Promise<SignEvent> => {
  const key = await crypto.subtle.importKey("raw", keyOf(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  return async (id, body) => {
    const at = Math.floor(Date.now() / 1000)
    const tag = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`${id}.${at}.${body}`))
    return {
      "webhook-id": id,
      "webhook-timestamp": String(at),
      "webhook-signature": `v1,${base64(new Uint8Array(tag))}`
    }
  }
}
