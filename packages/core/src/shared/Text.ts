/** Checks and cleans texts from users. */

/** Counts the Unicode code points of a text, because users count characters and not UTF-16 units. */
export const countCodePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

/**
 * Returns whether the text has control characters except tabs and line breaks. Not every database can store the
 * forbidden control characters.
 */
export const hasForbiddenControlCharacters = (text: string): boolean => /[^\P{Cc}\t\n\r]/u.test(text)

/**
 * Returns whether the text contains a visible character. Spaces, joiners, direction marks and blank letters are not
 * visible.
 */
export const hasVisibleCharacter = (text: string): boolean =>
  /[\p{L}\p{N}\p{P}\p{S}]/u.test(text.replace(/[\u115f\u1160\u3164\uffa0]/g, ""))

/** Escapes text for HTML elements and double-quoted attributes. */
export const escapeHtml = (text: string): string =>
  text.toWellFormed().replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/**
 * Cleans a text: makes the text well-formed, trims it, uses `\n` for every line break, and removes control characters.
 */
export const cleanText = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\t\n]/gu, "")
    .trim()

/**
 * Converts a text to safe plain text. Removes control characters, text-direction overrides and lone surrogates, uses
 * `\n` for every line break, and trims the text.
 */
export const toPlainText = (text: string): string =>
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
