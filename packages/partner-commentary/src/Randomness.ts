/**
 * Provides secure random bytes from blocks that are read from the operating system, as Node's `randomUUID` does. A
 * request needs five ids, and each read of random bytes from the operating system takes several microseconds. Random
 * bytes are erased from their block in memory when they are returned.
 */
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Layer from "effect/Layer"

const pageSize = 4096

export const layer = Layer.sync(SecureRandom.SecureRandom, () => {
  const page = new Uint8Array(pageSize)
  let given = pageSize
  return SecureRandom.make((size) => {
    if (size > pageSize) return SecureRandom.randomBytesUnsafe(size)
    if (given + size > pageSize) {
      crypto.getRandomValues(page)
      given = 0
    }
    const bytes = page.slice(given, given + size)
    page.fill(0, given, given + size)
    given += size
    return bytes
  })
})
