/** Generates pseudo-random numbers from a seed (algorithm mulberry32). */

export interface RandomSource {
  readonly seed: number
  readonly chance: (probability: number) => boolean
  readonly between: (least: number, most: number) => number
  /** Returns an integer between two bounds, including the bounds. */
  readonly whole: (least: number, most: number) => number
  /** Picks a random name. The probability of each name is proportional to its weight. */
  readonly pick: <A extends string>(weights: Readonly<Record<A, number>>) => A
  /**
   * Creates a separate generator for a concurrent task. Other tasks do not change the random numbers of the returned
   * generator.
   */
  readonly fork: (name: number) => RandomSource
}

export const makeRandomSource = (seed: number): RandomSource => {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number) => least + next() * (most - least)
  return {
    seed,
    chance: (probability) => next() < probability,
    between,
    whole: (least, most) => Math.floor(between(least, most + 1)),
    pick: <A extends string>(weights: Readonly<Record<A, number>>) => {
      const entries = Object.entries(weights) as Array<[A, number]>
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      for (const [name, weight] of entries) {
        left -= weight
        if (left < 0) return name
      }
      return entries[0]![0]
    },
    fork: (name) => makeRandomSource(Math.imul(seed ^ 0x9e3779b9, 2 * name + 1) ^ name)
  }
}
