/**
 * How durations lie in a column. Recent ones as they are: `r5000 g0 `, a letter for the stage before each. Folded ones by class, in
 * ranges without a gap longer than a few: `r87:1,,4 g3:2`, from the first class that any lies in. What the letters and classes mean never changes.
 */
import * as Durations from "@partner-commentary/core/performance/Durations"
import { type Stage, stages, type Tally } from "@partner-commentary/core/performance/Figures"

type Times = Tally["times"]

const letters = { response: "r", generation: "g", approval: "a" } as const satisfies Record<Stage, string>
const stageOf = new Map(stages.map((stage) => [letters[stage].charCodeAt(0), stage]))

/** One more recent duration. */
export const recentText = (stage: Stage, duration: number): string => `${letters[stage]}${duration} `

export const addRecent = (times: Times, text: string): void => {
  let stage: Stage | undefined
  let number = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isDigit(code)) number = number * 10 + code - zero
    else if (code === space) {
      if (stage !== undefined) times[stage].exact.push(number)
      number = 0
    } else stage = stageOf.get(code)
  }
}

/** Character by character: a report reads many. */
export const addFolded = (times: Times, text: string): void => {
  let classes: Float64Array = new Float64Array(0)
  let index = 0
  let number = 0
  const count = () => {
    if (number > 0) classes[index] = (classes[index] ?? 0) + number
    number = 0
  }
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isDigit(code)) number = number * 10 + code - zero
    else if (code === comma) {
      count()
      index++
    } else if (code === colon) {
      index = number
      number = 0
    } else if (code === space) count()
    else classes = Durations.classesOf(times[stageOf.get(code) ?? "response"])
  }
  count()
}

const [space, comma, colon, zero] = [32, 44, 58, 48]
const isDigit = (code: number): boolean => code >= zero && code < colon

/** Everything by class. */
export const foldedText = (times: Times): string =>
  stages
    .flatMap((stage) => {
      Durations.fold(times[stage])
      return rangesOf(times[stage].classes ?? new Float64Array(0)).map((range) => `${letters[stage]}${range}`)
    })
    .join(" ")

/** A new range costs some characters, a class without any one. */
const longestGap = 5

const rangesOf = (classes: Float64Array): ReadonlyArray<string> => {
  const ranges: Array<{ readonly from: number; readonly counts: Array<string> }> = []
  for (const [index, count] of classes.entries()) {
    if (count === 0) continue
    const last = ranges.at(-1)
    const gap = last === undefined ? Number.POSITIVE_INFINITY : index - last.from - last.counts.length
    if (last === undefined || gap > longestGap) ranges.push({ from: index, counts: [String(count)] })
    else last.counts.push(...Array.from({ length: gap }, () => ""), String(count))
  }
  return ranges.map(({ counts, from }) => `${from}:${counts.join(",")}`)
}
