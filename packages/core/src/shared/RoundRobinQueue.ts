/** A queue in which keys take turns. The first item of every key comes before the second item of any key. */

export interface RoundRobinQueue<A> {
  readonly size: () => number
  readonly push: (key: string, item: A) => void
  readonly shift: () => A | undefined
}

export const make = <A>(): RoundRobinQueue<A> => {
  /** The waiting items by key. The key with the next turn comes first. */
  const queues = new Map<string, Array<A>>()
  let size = 0
  return {
    size: () => size,
    push: (key, item) => {
      size++
      const items = queues.get(key)
      if (items === undefined) queues.set(key, [item])
      else items.push(item)
    },
    shift: () => {
      for (const [key, items] of queues) {
        size--
        queues.delete(key)
        const item = items.shift()
        if (items.length > 0) queues.set(key, items)
        return item
      }
      return undefined
    }
  }
}
