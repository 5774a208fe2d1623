/** The bound on a partner's own data. Its other rules are those of every body. */
import type { Problem } from "@partner-commentary/api/Errors"
import type { Metadata } from "@partner-commentary/core/topic/Topic"

/** In bytes of UTF-8 JSON. */
const maxSize = 16 * 1024

export const metadataProblem = (metadata: Metadata): Problem | undefined => {
  const json = JSON.stringify(metadata)
  // A character is at most three bytes for each UTF-16 unit: most need no counting.
  const tooLarge = json.length * 3 > maxSize && new TextEncoder().encode(json).length > maxSize
  return tooLarge ? { field: "metadata", constraint: `must be at most ${maxSize / 1024} KiB as JSON` } : undefined
}
