/**
 * Defines the alphabet, checksum and hash of bearer secrets. Bearer secrets are API keys and the tokens in creators'
 * links.
 */
import * as Digest from "effect/crypto/Digest"
import type * as Effect from "effect/Effect"

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/**
 * Converts random bytes to `length` unbiased base62 characters. The function skips each byte whose value is 248 or
 * more, so pass more than `length` bytes.
 */
export const toBase62 = (bytes: Uint8Array, length: number): string => {
  let text = ""
  for (const byte of bytes) {
    if (byte < 248 && text.length < length) text += base62[byte % 62]
  }
  return text
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let entry = index
  for (let bit = 0; bit < 8; bit++) entry = entry & 1 ? (entry >>> 1) ^ 0xedb88320 : entry >>> 1
  return entry
})

/**
 * Returns the CRC-32 (IEEE) of ASCII text as six zero-padded base62 characters. The checksum detects mistyped tokens
 * without a database query.
 */
export const calculateTokenChecksum = (text: string): string => {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc = (crcTable[(crc ^ text.charCodeAt(index)) & 0xff] as number) ^ (crc >>> 8)
  }
  let rest = (crc ^ 0xffffffff) >>> 0
  let digits = ""
  for (let place = 0; place < 6; place++) {
    digits = base62[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** Returns the SHA-256 hash of the text's UTF-8 bytes in lower-case hex. */
export const hashSha256Hex = (digest: Digest.Digest["Service"], text: string): Effect.Effect<string> =>
  digest.digestHex(Digest.sha256, new TextEncoder().encode(text))
