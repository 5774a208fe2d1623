/**
 * How durations lie in a column. Recent ones as they are: `r5000 g0 `, a letter for the stage before each. Folded ones by class, in
 * ranges without a gap longer than a few: `r87:1,,4 g3:2`, from the first class that any lies in. What the letters and classes mean never changes.
 */
import * as Durations from "@partner-commentary/core/performance/Durations"
import { type Stage, stages, type Tally } from "@partner-commentary/core/performance/Figures"

type Times = Tally["times"]

const letters = { response: "r", generation: "g", approval: "a" } as const satisfies Record<Stage, string>
const stageOf = Object.fromEntries(stages.map((stage) => [letters[stage], stage])) as Record<string, Stage>

/** One more recent duration. */
export const recentText = (stage: Stage, duration: number): string => `${letters[stage]}${duration} `

export const addRecent = (times: Times, text: string): void => {
  for (const word of wordsOf(text)) {
    const stage = stageOf[word.charAt(0)]
    if (stage !== undefined) times[stage].exact.push(Number(word.slice(1)))
  }
}

export const addFolded = (times: Times, text: string): void => {
  for (const word of wordsOf(text)) {
    const stage = stageOf[word.charAt(0)]
    const colon = word.indexOf(":")
    if (stage === undefined || colon < 0) continue
    let index = Number(word.slice(1, colon))
    for (const count of word.slice(colon + 1).split(",")) {
      if (count !== "") Durations.addClass(times[stage], index, Number(count))
      index++
    }
  }
}

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

const wordsOf = (text: string): ReadonlyArray<string> => text.split(" ").filter((word) => word !== "")
