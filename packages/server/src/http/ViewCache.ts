/** A cache of the JSON of views. A cached view is valid while its entity tag is the topic's. */

interface CachedView {
  readonly tag: string
  readonly text: string
}

/** The maximum number of characters of all cached views of a process. */
const capacity = 2_000_000

/** The maximum number of characters of a cached view. */
const maxLength = 20_000

export const make = () => {
  /** The first entry is the least recently used one. */
  const views = new Map<string, CachedView>()
  let size = 0

  const remove = (key: string): void => {
    size -= views.get(key)?.text.length ?? 0
    views.delete(key)
  }

  return {
    get: (key: string): CachedView | undefined => {
      const found = views.get(key)
      if (found === undefined) return undefined
      views.delete(key)
      views.set(key, found)
      return found
    },
    set: (key: string, view: CachedView): void => {
      remove(key)
      if (view.text.length > maxLength) return
      views.set(key, view)
      size += view.text.length
      for (const oldest of views.keys()) {
        if (size <= capacity) break
        remove(oldest)
      }
    }
  }
}
