/** Builds MP3 test files: silent frames that each carry a number, and the tags that may precede or follow them. */

const frameLength = 417

/** MPEG-1 layer III, 128 kbit/s, 44.1 kHz, stereo. `fill` is the byte that fills the rest of the frame. */
export const mp3Frame = (fill: number): Uint8Array => {
  const bytes = new Uint8Array(frameLength).fill(fill)
  bytes.set([0xff, 0xfb, 0x90, 0x00])
  return bytes
}

/** A silent info frame that states the number of frames that follow. */
export const mp3InfoFrame = (): Uint8Array => {
  const bytes = mp3Frame(0)
  bytes.set(new TextEncoder().encode("Info"), 36)
  return bytes
}

/** An ID3 tag at the start of the file. `size` is the number of bytes after the tag's header. */
export const id3Tag = (size: number): Uint8Array => {
  const bytes = new Uint8Array(10 + size).fill(0xff)
  bytes.set(new TextEncoder().encode("ID3"))
  bytes.set([4, 0, 0, 0, 0, size >> 7, size & 0x7f], 3)
  return bytes
}

/** An ID3v1 tag at the end of the file. */
export const id3v1Tag = (): Uint8Array => {
  const bytes = new Uint8Array(128).fill(0x20)
  bytes.set(new TextEncoder().encode("TAG"))
  return bytes
}

export const concatBytes = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))
