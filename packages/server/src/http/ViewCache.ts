/**
 * Caches the JSON of topic views. A cached view is valid while its entity tag equals the topic's current entity tag.
 */

interface CachedView {
  readonly tag: string
  readonly text: string
}

/** The maximum total length of all cached views of a process, in characters. */
const capacity = 2_000_000

/** The maximum length of one cached view, in characters. */
const maxLength = 20_000

export const make = () => {
  /** The first entry of the map is the least recently used view. */
  const views = new Map<string, { readonly view: CachedView; movedAt: number }>()
  let size = 0
  /** Counts the stored views. `get` moves a view to the end only if a view was stored since its last move. */
  let stored = 0

  const remove = (key: string): void => {
    size -= views.get(key)?.view.text.length ?? 0
    views.delete(key)
  }

  return {
    get: (key: string): CachedView | undefined => {
      const found = views.get(key)
      if (found === undefined) return undefined
      if (found.movedAt !== stored) {
        found.movedAt = stored
        views.delete(key)
        views.set(key, found)
      }
      return found.view
    },
    set: (key: string, view: CachedView): void => {
      remove(key)
      if (view.text.length > maxLength) return
      views.set(key, { view, movedAt: ++stored })
      size += view.text.length
      for (const oldest of views.keys()) {
        if (size <= capacity) break
        remove(oldest)
      }
    }
  }
}
