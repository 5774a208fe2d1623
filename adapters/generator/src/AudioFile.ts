/**
 * Detects the type of an audio file from its first bytes, and joins MP3 files. The service requests MP3 from speech
 * servers, but some servers return another format, sometimes with a wrong content type. All functions of this module
 * are pure.
 */
import type { MediaType } from "@partner-commentary/core/commentary/MediaSynthesizer"

/** Returns the media type of the bytes, or null for an unknown format. */
export const detectAudioType = (bytes: Uint8Array): MediaType | null => {
  if (has(bytes, 0, "ID3")) return "audio/mpeg"
  if (has(bytes, 0, "RIFF") && has(bytes, 8, "WAVE")) return "audio/wav"
  if (has(bytes, 0, "OggS")) return "audio/ogg"
  if (has(bytes, 0, "fLaC")) return "audio/flac"
  if (has(bytes, 4, "ftyp")) return "audio/mp4"
  const [first = 0, second = 0] = bytes
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null
  // The layer bits are zero in the header of an AAC frame, but not in the header of an MPEG audio frame.
  return (second & 0x06) === 0 ? "audio/aac" : "audio/mpeg"
}

/**
 * Joins MP3 files by concatenating their frames. The function removes the tags and the leading info frame of each file.
 * The info frame contains only the number of frames of one file, so players would show a wrong length for the joined
 * file.
 */
export const joinMp3Files = (files: ReadonlyArray<Uint8Array>): Uint8Array => {
  const sounds = files.map(soundOf)
  const whole = new Uint8Array(sounds.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const sound of sounds) {
    whole.set(sound, at)
    at += sound.byteLength
  }
  return whole
}

const soundOf = (file: Uint8Array): Uint8Array => {
  let bytes = file
  while (has(bytes, 0, "ID3")) bytes = bytes.subarray(10 + syncSafe(bytes, 6) + ((bytes[5] ?? 0) & 0x10 ? 10 : 0))
  if (bytes.length >= 128 && has(bytes, bytes.length - 128, "TAG")) bytes = bytes.subarray(0, -128)
  return bytes.subarray(describingFrame(bytes))
}

/** Decodes a 28-bit number from the lower seven bits of each of four bytes. */
const syncSafe = (bytes: Uint8Array, at: number): number =>
  [0, 1, 2, 3].reduce((size, index) => (size << 7) | ((bytes[at + index] ?? 0) & 0x7f), 0)

/**
 * The bit rates of layer III in kbit/s, by the index in the frame header. The first row contains the rates of MPEG-1,
 * and the second row contains the rates of MPEG-2 and MPEG-2.5.
 */
const rates = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
] as const

const frequencies = [44_100, 48_000, 32_000] as const

/** Returns the length in bytes of the info frame at the start of the file, or 0 if the file has no info frame. */
const describingFrame = (bytes: Uint8Array): number => {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes
  if (first !== 0xff || (second & 0xe6) !== 0xe2) return 0
  const isFirst = (second & 0x18) === 0x18
  const rate = rates[isFirst ? 0 : 1][third >> 4] ?? 0
  const frequency = (frequencies[(third >> 2) & 3] ?? 0) / (isFirst ? 1 : (second & 0x18) === 0x10 ? 2 : 4)
  if (rate === 0 || frequency === 0) return 0
  const isMono = fourth >> 6 === 3
  const side = isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17
  const isDescribing = has(bytes, 4 + side, "Xing") || has(bytes, 4 + side, "Info") || has(bytes, 36, "VBRI")
  return isDescribing ? Math.floor(((isFirst ? 144 : 72) * rate * 1000) / frequency) + ((third >> 1) & 1) : 0
}

const has = (bytes: Uint8Array, at: number, letters: string): boolean => {
  for (let index = 0; index < letters.length; index++) if (bytes[at + index] !== letters.charCodeAt(index)) return false
  return true
}
