/**
 * Many durations in little room: the first ones as they were, the others counted in classes, each a tenth longer than the one below.
 * What a class is read as lies within 5 % of every duration in it.
 */

/** Milliseconds; grows in place. */
export interface Durations {
  readonly exact: Array<number>
  /** How many lie in which class. Null while none does. */
  classes: Float64Array | null
}

export const none = (): Durations => ({ exact: [], classes: null })

const growth = 1.1
/** The longest duration that a number tells exactly lies in the last of them. */
const classCount = 400

/** Class 0 has what took no time; class n from 1 on begins at `growth` to the power of n - 1. */
const classOf = (duration: number): number =>
  duration < 1 ? 0 : Math.min(classCount - 1, 1 + Math.floor(Math.log(duration) / Math.log(growth)))

/** The geometric middle of each class, in whole milliseconds. */
const middles = Float64Array.from({ length: classCount }, (_, index) =>
  index === 0 ? 0 : Math.round(growth ** (index - 0.5))
)

/** How many lie in each, to be counted up. */
export const classesOf = (durations: Durations): Float64Array => {
  durations.classes ??= new Float64Array(classCount)
  return durations.classes
}

const addClass = (to: Durations, index: number, count: number): void => {
  const classes = classesOf(to)
  classes[index] = (classes[index] ?? 0) + count
}

/** Puts what is exact into its classes. */
export const fold = (durations: Durations): void => {
  for (const duration of durations.exact) addClass(durations, classOf(duration), 1)
  durations.exact.length = 0
}

export const addAll = (to: Durations, more: Durations): void => {
  for (const duration of more.exact) to.exact.push(duration)
  if (more.classes === null) return
  const classes = classesOf(to)
  for (let index = 0; index < classCount; index++) classes[index] = (classes[index] ?? 0) + (more.classes[index] ?? 0)
}

/** Milliseconds. Null where there was nothing to measure. */
export interface Spread {
  /** How many were measured. */
  readonly count: number
  readonly median: number | null
  readonly p90: number | null
}

export const spread = (durations: Durations): Spread => {
  const sorted = Float64Array.from(durations.exact).sort()
  const classes = durations.classes ?? noClasses
  let count = sorted.length
  for (let index = 0; index < classes.length; index++) count += classes[index] ?? 0
  const at = (percent: number) => ranked(sorted, classes, Math.ceil((percent * count) / 100))
  return { count, median: at(50), p90: at(90) }
}

const noClasses = new Float64Array(0)

/** The duration at this rank, from 1, of both together. */
const ranked = (sorted: Float64Array, classes: Float64Array, rank: number): number | null => {
  let seen = 0
  let next = 0
  for (let index = 0; index < classes.length; index++) {
    const count = classes[index] ?? 0
    if (count === 0) continue
    const middle = middles[index] ?? 0
    while (next < sorted.length && (sorted[next] ?? 0) <= middle) {
      if (++seen === rank) return sorted[next] ?? null
      next++
    }
    seen += count
    if (seen >= rank) return middle
  }
  return sorted[next + rank - seen - 1] ?? null
}

/** The nearest rank: the least of the measured values that so many percent of them do not exceed. */
export const percentile = (sorted: ArrayLike<number>, percent: number): number | null =>
  sorted[Math.ceil((percent * sorted.length) / 100) - 1] ?? null
