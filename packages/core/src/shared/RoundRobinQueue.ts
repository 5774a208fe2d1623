/**
 * A queue in which keys take turns. A new item goes first if the last turn of its key is older than the last turn of
 * the key that would come next. A key with few items therefore does not wait for an item of every other key.
 */

export interface RoundRobinQueue<A> {
  readonly size: () => number
  readonly push: (key: string, item: A) => void
  /** Adds an item before the key's other items. The turn of the key stays the same. */
  readonly pushFirst: (key: string, item: A) => void
  readonly shift: () => A | undefined
}

/** The number of keys whose last turn the queue remembers. */
const rememberedKeys = 10_000

export const make = <A>(): RoundRobinQueue<A> => {
  /** The waiting items of the keys that get their turn before all other keys. */
  const early = new Map<string, Array<A>>()
  /** The waiting items of all other keys, in the order of their turns. */
  const late = new Map<string, Array<A>>()
  /**
   * The number of each key's last turn, oldest first. For a key without a remembered turn, the push of its first item
   * counts as a turn.
   */
  const turns = new Map<string, number>()
  let turn = 0
  let size = 0

  const remember = (key: string): number => {
    turns.delete(key)
    turns.set(key, ++turn)
    const [oldest] = turns.keys()
    if (turns.size > rememberedKeys && oldest !== undefined) turns.delete(oldest)
    return turn
  }

  const isFirst = (key: string): boolean => {
    const last = turns.get(key) ?? remember(key)
    const [next] = late.keys()
    return next !== undefined && last < (turns.get(next) ?? 0)
  }

  const itemsOf = (key: string): Array<A> => {
    const present = early.get(key) ?? late.get(key)
    if (present !== undefined) return present
    const items: Array<A> = []
    const queues = isFirst(key) ? early : late
    queues.set(key, items)
    return items
  }

  return {
    size: () => size,
    push: (key, item) => {
      size++
      itemsOf(key).push(item)
    },
    pushFirst: (key, item) => {
      size++
      itemsOf(key).unshift(item)
    },
    shift: () => {
      const queues = early.size > 0 ? early : late
      for (const [key, items] of queues) {
        size--
        queues.delete(key)
        remember(key)
        const item = items.shift()
        if (items.length > 0) late.set(key, items)
        return item
      }
      return undefined
    }
  }
}
