/**
 * What runs a list of rules over the repository, and proves each rule first: a violation planted in a copy in memory
 * must be refused and a near miss accepted, else the gate fails, so that no rule goes silently vacuous.
 */
import { type Files, readFiles } from "./Repository.ts"

export interface Finding {
  readonly path: string
  readonly line: number
  readonly message: string
}

/** Files to add or to change in the copy; a function gets the present text, `""` where there is none. */
export type Plant = Readonly<Record<string, string | ((present: string) => string)>>

export interface Rule {
  readonly name: string
  readonly find: (files: Files) => ReadonlyArray<Finding>
  /** Each of these must be found. */
  readonly refuses: ReadonlyArray<Plant>
  /** None of these may be found. */
  readonly accepts: ReadonlyArray<Plant>
}

const planted = (files: Files, plant: Plant): Files => {
  const copy = new Map(files)
  for (const [path, text] of Object.entries(plant)) {
    copy.set(path, typeof text === "string" ? text : text(files.get(path) ?? ""))
  }
  return copy
}

const print = ({ path, line, message }: Finding) => `${path}:${line} ${message}`

/** One sentence for each rule and plant that did not go as it should. */
export const prove = (rules: ReadonlyArray<Rule>, files: Files): ReadonlyArray<string> =>
  rules.flatMap((rule) => {
    /** Without the line: a plant may move what stood there before. */
    const identity = ({ path, message }: Finding) => `${path} ${message}`
    const before = new Set(rule.find(files).map(identity))
    const news = (plant: Plant) =>
      rule.find(planted(files, plant)).filter((finding) => finding.path in plant && !before.has(identity(finding)))
    const show = (plant: Plant) =>
      Object.entries(plant)
        .map(([path, text]) => `${path}: ${typeof text === "string" ? text : "(changed)"}`)
        .join("; ")
    return [
      ...(rule.refuses.length === 0 ? [`"${rule.name}" plants no violation`] : []),
      ...rule.refuses
        .filter((plant) => news(plant).length === 0)
        .map((plant) => `"${rule.name}" does not refuse ${show(plant)}`),
      ...rule.accepts.flatMap((plant) =>
        news(plant).map(({ message }) => `"${rule.name}" refuses ${show(plant)} (${message})`)
      )
    ]
  })

/** Runs as a command: prints what is wrong and sets the exit status. `unproven` is what another proof found wanting. */
export const gate = (
  name: string,
  rules: ReadonlyArray<Rule>,
  files: Files = readFiles(),
  unproven: ReadonlyArray<string> = []
): void => {
  const vacuous = [...prove(rules, files), ...unproven]
  const findings = rules.flatMap((rule) => rule.find(files).map((finding) => `${print(finding)} (${rule.name})`))
  for (const line of vacuous) process.stdout.write(`${name}: a rule does not hold: ${line}\n`)
  for (const line of findings) process.stdout.write(`${line}\n`)
  const plants = rules.reduce((sum, rule) => sum + rule.refuses.length, 0)
  process.stdout.write(
    `${name}: ${rules.length} rules over ${files.size} files, ${plants} planted violations, ${findings.length} findings\n`
  )
  if (vacuous.length + findings.length > 0) process.exitCode = 1
}
