/** The JSON of views that were read recently. A view stays valid until its entity tag changes. */

interface RecentView {
  readonly tag: string
  readonly text: string
}

/** The maximum number of characters in all views of a process together. */
const capacity = 2_000_000

/** The maximum number of characters in one view. Longer views are not kept. */
const longest = 20_000

export const make = () => {
  /** The map's first entry is the view that was used longest ago. */
  const views = new Map<string, RecentView>()
  let size = 0

  const remove = (key: string): void => {
    size -= views.get(key)?.text.length ?? 0
    views.delete(key)
  }

  return {
    find: (key: string): RecentView | undefined => {
      const found = views.get(key)
      if (found === undefined) return undefined
      views.delete(key)
      views.set(key, found)
      return found
    },
    keep: (key: string, view: RecentView): void => {
      remove(key)
      if (view.text.length > longest) return
      views.set(key, view)
      size += view.text.length
      for (const oldest of views.keys()) {
        if (size <= capacity) break
        remove(oldest)
      }
    }
  }
}
