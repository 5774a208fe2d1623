/** Splits a text at natural pauses into parts that a speech server accepts. All functions of this module are pure. */

/** The maximum length of a part. Speech servers accept 4096 characters, and some servers count UTF-16 units. */
const longestPart = 4000

/**
 * Patterns for natural pauses, with the longest pause first. A text without any pause is split between any two
 * characters.
 */
const pauses = [/\n\s*\n/g, /\n/g, /[.!?…]['"”’»)\]]*\s+|[。！？]/gu, /[,;:–—]\s+|[、，；：]/gu, /\s+/g]

/**
 * Splits a text into parts for the speech server. No part is blank, and the parts together contain the whole text
 * except white space at the cuts.
 */
export const splitForSpeech = (text: string, longest = longestPart): ReadonlyArray<string> => {
  const trimmed = text.trim()
  if (trimmed.length <= longest) return trimmed === "" ? [] : [trimmed]
  const at = cut(trimmed, longest)
  return [trimmed.slice(0, at).trim(), ...splitForSpeech(trimmed.slice(at), longest)]
}

/**
 * Returns the position at which the first part of the text ends. The function looks for pauses only in the second half
 * of the part, so that parts do not become too short. The text is cut at the last pause of the longest kind in the
 * second half of the part.
 */
const cut = (text: string, longest: number): number => {
  const head = text.slice(0, longest)
  for (const pause of pauses) {
    const last = [...head.matchAll(pause)].at(-1)
    const end = last === undefined ? 0 : last.index + last[0].length
    if (end > longest / 2) return end
  }
  return isHighSurrogate(head.charCodeAt(longest - 1)) ? longest - 1 : longest
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
