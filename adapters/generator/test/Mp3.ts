/**
 * Builds MP3 files for tests from silent frames and from tags before or after the frames. A fill byte in each frame
 * identifies the frame.
 */

const frameLength = 417

/**
 * Returns a silent frame of MPEG-1 layer III with 128 kbit/s, 44.1 kHz and two channels. `fill` is the byte that fills
 * the rest of the frame.
 */
export const makeMp3Frame = (fill: number): Uint8Array => {
  const bytes = new Uint8Array(frameLength).fill(fill)
  bytes.set([0xff, 0xfb, 0x90, 0x00])
  return bytes
}

/** Returns an info frame, which has the mark `Info` and contains no sound. */
export const makeMp3InfoFrame = (): Uint8Array => {
  const bytes = makeMp3Frame(0)
  bytes.set(new TextEncoder().encode("Info"), 36)
  return bytes
}

/** Returns an ID3 tag for the start of a file. `size` is the number of bytes after the header of the tag. */
export const makeId3Tag = (size: number): Uint8Array => {
  const bytes = new Uint8Array(10 + size).fill(0xff)
  bytes.set(new TextEncoder().encode("ID3"))
  bytes.set([4, 0, 0, 0, 0, size >> 7, size & 0x7f], 3)
  return bytes
}

/** Returns an ID3v1 tag for the end of a file. */
export const makeId3v1Tag = (): Uint8Array => {
  const bytes = new Uint8Array(128).fill(0x20)
  bytes.set(new TextEncoder().encode("TAG"))
  return bytes
}

export const concatBytes = (...parts: ReadonlyArray<Uint8Array>): Uint8Array => new Uint8Array(Buffer.concat(parts))
