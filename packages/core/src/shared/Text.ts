/** Text that people wrote: how long it is to them, and what does not belong in it. */

/** Unicode code points, as a person counts characters. */
export const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/** Control characters other than tab and line ends: no text needs them, and not every database takes them. */
export const hasControls = (text: string): boolean => /[^\P{Cc}\t\n\r]/u.test(text)

/** Something in it is ink: not only spaces, joiners, marks of direction, and the letters that stand for none. */
export const isReadable = (text: string): boolean =>
  /[\p{L}\p{N}\p{P}\p{S}]/u.test(text.replace(/[\u115f\u1160\u3164\uffa0]/g, ""))

/** As HTML, between tags or in an attribute in double quotes. */
export const escapeHtml = (text: string): string =>
  text.toWellFormed().replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/** Well-formed, with one kind of line end, without control characters, trimmed. */
export const clean = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]/gu, "")
    .trim()

/** Plain text: `\n` as the only line break, no control or text-direction override characters, no lone surrogates, trimmed. */
export const plain = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n|[\r\u0085\u2028\u2029]/gu, "\n")
    .replace(/\t/gu, " ")
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]/gu, (character) => (character === "\n" ? character : ""))
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .replace(/\n{3,}/gu, "\n\n")
    .trim()
