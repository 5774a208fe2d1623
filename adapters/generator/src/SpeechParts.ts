/** Splits a text into parts that a speech server accepts, at natural pauses. Pure. */

/** Servers accept 4096 characters, and may count UTF-16 units. */
const longestPart = 4000

/** Patterns for natural pauses, the longest pause first. A text without any pause is split between two characters. */
const pauses = [/\n\s*\n/g, /\n/g, /[.!?…]['"”’»)\]]*\s+|[。！？]/gu, /[,;:–—]\s+|[、，；：]/gu, /\s+/g]

/** No part is blank, and all parts together are the whole text. */
export const splitForSpeech = (text: string, longest = longestPart): ReadonlyArray<string> => {
  const trimmed = text.trim()
  if (trimmed.length <= longest) return trimmed === "" ? [] : [trimmed]
  const at = cut(trimmed, longest)
  return [trimmed.slice(0, at).trim(), ...splitForSpeech(trimmed.slice(at), longest)]
}

/** Splits the text after the last pause, unless the part would be very short. */
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
