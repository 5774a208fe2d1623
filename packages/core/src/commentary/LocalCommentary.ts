/**
 * A commentary generator that needs no server. The generator puts an opening and a closing around the creator's own
 * sentences and adds no opinion. Each generated commentary states that it was made locally. The generator is
 * deterministic and does not imitate the persona's style.
 */
import * as Hash from "effect/Hash"
import { toPlainText } from "../shared/Text.ts"
import type { CommentaryGenerationRequest } from "./CommentaryGenerator.ts"

const openings: ReadonlyArray<(topic: string) => string> = [
  (topic) => `On “${topic}”, this is where I stand.`,
  (topic) => `I was asked about “${topic}”, and this is my answer.`,
  (topic) => `My view on “${topic}” can be put in a few words.`,
  (topic) => `“${topic}” is the question before me, and I have an opinion on it.`,
  (topic) => `When it comes to “${topic}”, here is what I think.`
]

/**
 * The smallest, the default and the largest limit for the creator's own sentences in a draft, in code points. The
 * opening and closing of a draft add a few hundred code points.
 */
const bodies = { least: 80, usual: 900, most: 4000 }

const shorter = /\b(?:short(?:er|en)?|brief(?:er)?|concise|trim|cut)\b/iu
const longer = /\b(?:long(?:er)?|lengthen|expand|more detail)\b/iu

const lengthOf = (text: string): number => Array.from(text).length

/** Cuts a text to at most `limit` code points, at a word boundary if possible. */
const cut = (text: string, limit: number): string => {
  const points = Array.from(text)
  if (points.length <= limit) return text
  const kept = points.slice(0, limit - 1)
  const space = kept.lastIndexOf(" ")
  return `${kept.slice(0, space > 0 ? space : undefined).join("")}…`
}

const oneLine = (text: string): string => toPlainText(text).replace(/\s+/gu, " ")

/** Splits the creator's text into sentences with their trailing spaces. The end of a line also ends a sentence. */
const sentences = (perspective: string): ReadonlyArray<string> => {
  const lines = toPlainText(perspective)
    .split("\n")
    .map((line) => oneLine(line.replace(/^\s*[-*•]\s/u, "")))
    .filter((line) => line !== "")
    .map((line) => (/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]$/u.test(line) ? `${line}.` : line))
  const segments = new Intl.Segmenter("en", { granularity: "sentence" }).segment(lines.join(" "))
  return Array.from(segments, ({ segment }) => segment)
}

/**
 * Returns as many whole sentences as fit into `limit` code points. A first sentence that is longer than the limit is
 * cut.
 */
const body = (perspective: string, limit: number): string => {
  const [first = "", ...rest] = sentences(perspective)
  let text = cut(first, limit)
  let left = limit - lengthOf(first)
  for (const sentence of rest) {
    left -= lengthOf(sentence)
    if (left < 0) break
    text += sentence
  }
  return text.trim()
}

const bodyLimit = ({ revision }: CommentaryGenerationRequest, frame: number): number => {
  if (revision === undefined) return bodies.usual
  const previous = Math.max(0, lengthOf(revision.draft) - frame)
  const wanted = shorter.test(revision.instructions)
    ? previous / 2
    : longer.test(revision.instructions)
      ? Math.max(previous, bodies.usual) * 2
      : bodies.usual
  return Math.min(bodies.most, Math.max(bodies.least, Math.floor(wanted)))
}

/**
 * Composes a commentary of 1 to 5000 code points for any request. A revision always differs from the previous draft.
 */
export const composeLocalCommentary = (request: CommentaryGenerationRequest): string => {
  const { persona, topic, perspective, revision } = request
  const subject = cut(oneLine(topic), 200).replace(/(?<!\.)\.$/u, "")
  const name = cut(oneLine(persona.name), 80)
  const closing = `\n\nThat is how I see it.\n\nWritten by the local generator from ${name === "" ? "the creator" : name}'s own words.`
  const render = (variant: number): string => {
    const opening = (openings[variant % openings.length] ?? String)(subject)
    return `${opening} ${body(perspective, bodyLimit(request, lengthOf(opening) + lengthOf(closing)))}`.trim() + closing
  }
  const variant = (Hash.string(`${topic}\n${revision?.instructions ?? ""}`) >>> 0) % openings.length
  const text = render(variant)
  return text === revision?.draft ? render(variant + 1) : text
}
