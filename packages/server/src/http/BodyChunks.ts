/** Limits the number of chunks of a request body, because each chunk costs processor time and memory. */

/** The number of chunks that every body may have. */
const freeChunks = 4096

/** The minimum average size in bytes of further chunks. */
const minChunkBytes = 64

/** Returns a function that counts each chunk, and returns false when the body has too many chunks for its size. */
export const makeChunkCounter = () => {
  let chunks = 0
  let bytes = 0
  return (length: number): boolean => {
    bytes += length
    return ++chunks <= freeChunks + bytes / minChunkBytes
  }
}
