/** Prints a command's result on stdout: one JSON value with `--json`, otherwise text. */
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Effect from "effect/Effect"

export const JsonFlag = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON value on stdout and nothing else"),
    Flag.withDefault(false)
  )
})

/** Prints the result of `json` if the command has the flag `--json`, otherwise the result of `text`. */
export const printResult = (forms: { readonly json: () => unknown; readonly text: () => ReadonlyArray<string> }) =>
  Effect.flatMap(JsonFlag, (json) => printLines(json ? [JSON.stringify(forms.json())] : forms.text()))

export const printLines = (lines: ReadonlyArray<string>) =>
  Effect.sync(() => {
    process.stdout.write(lines.map((line) => `${line}\n`).join(""))
  })

/**
 * Formats a table whose columns are as wide as their widest entry. For a table without rows, the result is the text
 * `none`.
 */
export const formatTable = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  none: string
): ReadonlyArray<string> => {
  if (rows.length === 0) return [none]
  const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => (row[column] ?? "").length)))
  const line = (cells: ReadonlyArray<string>) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd()
  return [line(head.map((name) => name.toUpperCase())), ...rows.map(line)]
}

/** Formats each field as a line with its name and value, and omits empty values. */
export const formatFields = (pairs: Readonly<Record<string, string | null>>): ReadonlyArray<string> => {
  const shown = Object.entries(pairs).filter((pair): pair is [string, string] => pair[1] !== null && pair[1] !== "")
  const width = Math.max(...shown.map(([name]) => name.length))
  return shown.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`)
}
