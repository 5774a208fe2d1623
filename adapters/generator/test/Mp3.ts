/** MP3 files as servers make them: frames of silence with a number in each, and what may lie around them. */

const frameLength = 417

/** MPEG-1 layer III, 128 kbit/s, 44.1 kHz, stereo; the rest is this byte. */
export const frame = (fill: number): Uint8Array => {
  const bytes = new Uint8Array(frameLength).fill(fill)
  bytes.set([0xff, 0xfb, 0x90, 0x00])
  return bytes
}

/** A frame without sound that tells how many follow. */
export const infoFrame = (): Uint8Array => {
  const bytes = frame(0)
  bytes.set(new TextEncoder().encode("Info"), 36)
  return bytes
}

/** A tag at the beginning, of so many bytes behind its header. */
export const id3 = (size: number): Uint8Array => {
  const bytes = new Uint8Array(10 + size).fill(0xff)
  bytes.set(new TextEncoder().encode("ID3"))
  bytes.set([4, 0, 0, 0, 0, size >> 7, size & 0x7f], 3)
  return bytes
}

/** A tag at the end. */
export const oldTag = (): Uint8Array => {
  const bytes = new Uint8Array(128).fill(0x20)
  bytes.set(new TextEncoder().encode("TAG"))
  return bytes
}

export const concat = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))
