/** Parses the arguments of a command. Wrong arguments are rejected with a one-sentence error. */
import { parseArgs } from "node:util"
import { UsageError } from "./Terminal.ts"

export interface FlagDefinition {
  /** The placeholder of the flag's value; absent if the flag takes no value. */
  readonly value?: string
  readonly description: string
}

export type FlagDefinitions = Readonly<Record<string, FlagDefinition>>

export interface ParsedArguments {
  readonly words: ReadonlyArray<string>
  /** The given flags with their values. A flag that takes no value is stored with the value `true`. */
  readonly flags: ReadonlyMap<string, string>
}

export const parseArguments = (
  args: ReadonlyArray<string>,
  flags: FlagDefinitions,
  maxWords: number
): ParsedArguments => {
  const options = Object.fromEntries(
    Object.entries(flags).map(
      ([name, { value }]) => [name, { type: value === undefined ? "boolean" : "string" }] as const
    )
  )
  const words: Array<string> = []
  const given = new Map<string, string>()
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind === "positional") words.push(token.value)
    if (token.kind !== "option") continue
    const { inlineValue, name, rawName, value } = token
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
    if (flag === undefined) throw new UsageError(`There is no flag ${rawName}.`)
    if (given.has(name)) throw new UsageError(`${rawName} is given twice.`)
    if (flag.value === undefined && value !== undefined) throw new UsageError(`${rawName} takes no value.`)
    // A value that begins with `-` requires `=`. Without `=`, the parser would read the value as another flag.
    if (flag.value !== undefined && (!value || (!inlineValue && value.startsWith("-")))) {
      throw new UsageError(`${rawName} needs a value: ${flag.value}.`)
    }
    given.set(name, value ?? "true")
  }
  const [extra] = words.slice(maxWords)
  if (extra !== undefined) throw new UsageError(`Unexpected argument: ${JSON.stringify(extra)}.`)
  return { words, flags: given }
}

/** Formats the lines of a help text with aligned descriptions. */
export const alignColumns = (rows: ReadonlyArray<readonly [left: string, right: string]>): string => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join("\n")
}

export const formatFlagRows = (flags: FlagDefinitions): ReadonlyArray<readonly [string, string]> =>
  Object.entries(flags).map(([name, { description, value }]) => [
    value === undefined ? `--${name}` : `--${name} ${value}`,
    description
  ])
