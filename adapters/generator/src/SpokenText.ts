/** A text in parts that a speech server takes, cut where a speaker would pause. Pure. */

/** Servers of the protocol take 4096 characters; they may count UTF-16 units. */
const longestPart = 4000

/** After these a speaker pauses, the longest pause first. What has none of them is cut between characters. */
const pauses = [/\n\s*\n/g, /\n/g, /[.!?…]['"”’»)\]]*\s+|[。！？]/gu, /[,;:–—]\s+|[、，；：]/gu, /\s+/g]

/** None of them blank; joined, they say what the text says. */
export const parts = (text: string, longest = longestPart): ReadonlyArray<string> => {
  const trimmed = text.trim()
  if (trimmed.length <= longest) return trimmed === "" ? [] : [trimmed]
  const at = cut(trimmed, longest)
  return [trimmed.slice(0, at).trim(), ...parts(trimmed.slice(at), longest)]
}

/** Behind the last pause that is not too early, lest a part be a word long. */
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
