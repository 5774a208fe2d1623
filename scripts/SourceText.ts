/**
 * A TypeScript or JavaScript text, told apart into code, comments and the contents of strings.
 * Each part has the length and the line breaks of the whole, with blanks for what belongs elsewhere, so that a position
 * in one is a position in all. It knows tokens, not grammar.
 */
export interface SourceText {
  readonly text: string
  /** Quotes stay, what stands between them is blank; the expressions inside a template are code. */
  readonly code: string
  readonly comments: string
  /** What stands in strings and templates. */
  readonly literals: string
}

const Kind = { code: 0, comment: 1, literal: 2, pattern: 3 } as const

const beforePattern = new Set(
  "await case delete do else export default in instanceof new of return throw typeof void yield".split(" ")
)

/** Whether a `/` after this code begins a regular expression rather than a division. */
const patternMayFollow = (code: string): boolean => {
  const before = code.trimEnd()
  const word = /[\w$]+$/.exec(before)?.[0]
  if (word !== undefined) return beforePattern.has(word) && !before.endsWith(`.${word}`)
  return !/(?:[)\]}"'`]|\+\+|--|[\w$)\]]!)$/.test(before)
}

/** The index of the closing `/`, or -1 where the line ends first: then it was a division after all. */
const patternEnd = (text: string, start: number): number => {
  let inClass = false
  for (let at = start + 1; at < text.length && text[at] !== "\n"; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === "[") inClass = true
    else if (text[at] === "]") inClass = false
    else if (text[at] === "/" && !inClass) return at
  }
  return -1
}

const kindsOf = (text: string): Uint8Array => {
  const kinds = new Uint8Array(text.length)
  /** For every template expression that is open, how many braces are open inside it. */
  const expressions: Array<number> = []
  let at = 0
  const mark = (end: number, kind: number) => {
    kinds.fill(kind, at, end)
    at = end
  }
  const until = (found: number) => (found === -1 ? text.length : found)
  const string = (quote: string) => {
    at++
    let end = at
    while (end < text.length && text[end] !== quote && text[end] !== "\n") end += text[end] === "\\" ? 2 : 1
    mark(Math.min(end, text.length), Kind.literal)
    at++
  }
  const template = () => {
    at++
    let end = at
    while (end < text.length && text[end] !== "`" && !text.startsWith("${", end)) end += text[end] === "\\" ? 2 : 1
    mark(Math.min(end, text.length), Kind.literal)
    if (text[at] === "$") {
      expressions.push(0)
      at += 2
    } else at++
  }
  const codeSoFar = () => {
    let code = ""
    for (let back = at - 1; back >= 0 && code.trimStart().length < 12; back--) {
      code = (kinds[back] === Kind.comment ? " " : text[back]) + code
    }
    return code
  }
  if (text.startsWith("#!")) mark(until(text.indexOf("\n")), Kind.comment)
  while (at < text.length) {
    const character = text[at]
    const open = expressions.length - 1
    if (text.startsWith("//", at)) mark(until(text.indexOf("\n", at)), Kind.comment)
    else if (text.startsWith("/*", at)) mark(Math.min(text.length, until(text.indexOf("*/", at + 2)) + 2), Kind.comment)
    else if (character === '"' || character === "'") string(character)
    else if (character === "`") template()
    else if (character === "}" && expressions[open] === 0) {
      expressions.pop()
      template()
    } else if (character === "/" && patternMayFollow(codeSoFar()) && patternEnd(text, at) !== -1) {
      mark(patternEnd(text, at) + 1, Kind.pattern)
    } else {
      if (open >= 0 && character === "{") expressions[open]! += 1
      if (open >= 0 && character === "}") expressions[open]! -= 1
      at++
    }
  }
  return kinds
}

const known = new Map<string, SourceText>()

export const sourceText = (text: string): SourceText => {
  const before = known.get(text)
  if (before !== undefined) return before
  const kinds = kindsOf(text)
  const only = (kind: number) =>
    text.replace(/[^\n]/g, (character, at: number) => (kinds[at] === kind ? character : " "))
  const source = { text, code: only(Kind.code), comments: only(Kind.comment), literals: only(Kind.literal) }
  known.set(text, source)
  return source
}

/** Counted from 1. */
export const lineAt = (text: string, position: number): number => text.slice(0, position).split("\n").length
