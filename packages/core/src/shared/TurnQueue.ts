/** A queue in which keys take turns. The first item of each key comes before the second item of any key. */

export interface TurnQueue<A> {
  readonly size: () => number
  readonly push: (key: string, item: A) => void
  readonly shift: () => A | undefined
}

export const make = <A>(): TurnQueue<A> => {
  /** The waiting items by key, in the order of the keys' turns. */
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
