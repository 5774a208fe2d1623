/**
 * Reads the body of POST /topics/bulk: what is wrong with the whole refuses it; each topic comes as its own text, to be read as
 * if it had been posted by itself.
 */
import { maxBulkPersonas, maxTopics } from "@partner-commentary/api/BulkApi"
import type { Problem } from "@partner-commentary/api/Errors"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { maxBodySize } from "../../http/Body.ts"
import * as JsonText from "../../http/JsonText.ts"
import * as StrictJson from "../../http/StrictJson.ts"

/** The JSON texts of the topics, in their order. */
export const topicTexts = (text: string): Result.Result<ReadonlyArray<string>, Problem> => {
  if (JsonText.deeperThan(text, maxLevels) !== undefined) {
    return Result.fail({ field: "body", constraint: `must not be nested deeper than ${maxLevels} levels` })
  }
  const parsed = Result.try(() => JSON.parse(text) as unknown)
  if (Result.isFailure(parsed)) return Result.fail({ field: "body", constraint: "must be valid JSON" })
  if (!Predicate.isReadonlyObject(parsed.success)) {
    return Result.fail({ field: "body", constraint: "must be a JSON object" })
  }
  const constraint = listConstraint((parsed.success as Readonly<Record<string, unknown>>)[list])
  return constraint === undefined ? slices(text) : Result.fail({ field: list, constraint })
}

/** What is wrong with one topic, named by its place in the whole. */
export const placed = (index: number, { constraint, field }: Problem): Problem => ({
  field: field === "body" ? `${list}[${index}]` : `${list}[${index}].${field}`,
  constraint
})

/** One topic has no more room than it has by itself. */
export const isLarge = (text: string): boolean =>
  text.length * 3 > maxBodySize && new TextEncoder().encode(text).length > maxBodySize

const list = "topics"

/** Beyond it the whole is not even parsed, which would take long. A topic that is nested too deeply below it is refused alone. */
const maxLevels = 1000

const listConstraint = (topics: unknown): string | undefined => {
  if (topics === undefined) return "is required"
  if (!Array.isArray(topics)) return "must be an array"
  if (topics.length === 0) return "must hold at least one topic"
  if (topics.length > maxTopics) return `must hold at most ${maxTopics} topics`
  const personas = topics.reduce((total, topic) => total + personasIn(topic), 0)
  return personas > maxBulkPersonas ? `must name at most ${maxBulkPersonas} personas in all` : undefined
}

const personasIn = (topic: unknown): number =>
  Predicate.hasProperty(topic, "persona_ids") && Array.isArray(topic.persona_ids) ? topic.persona_ids.length : 0

const [quote, comma, openList, closeList, openObject, closeObject] = [34, 44, 91, 93, 123, 125]

/** Cuts the list out of a text that is known to be a JSON object with that list. */
const slices = (text: string): Result.Result<ReadonlyArray<string>, Problem> => {
  const found: Array<string> = []
  let depth = 0
  let field = ""
  let expectsField = true
  let lists = 0
  let start = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = JsonText.endOfString(text, at)
      if (depth === 1 && expectsField) {
        field = JSON.parse(text.slice(at, end + 1)) as string
        expectsField = false
        if (field === list && ++lists > 1) return Result.fail({ field: list, constraint: "must not be given twice" })
      }
      at = end
    } else if (code === openObject || code === openList) {
      if (depth > StrictJson.maxDepth && field !== list) {
        return Result.fail({ field, constraint: `must not be nested deeper than ${StrictJson.maxDepth} levels` })
      }
      if (depth === 1) start = at + 1
      depth++
    } else if (code === closeObject || code === closeList) {
      depth--
      if (depth === 1 && field === list) found.push(text.slice(start, at))
    } else if (code === comma && depth === 1) {
      expectsField = true
    } else if (code === comma && depth === 2 && field === list) {
      found.push(text.slice(start, at))
      start = at + 1
    }
  }
  return Result.succeed(found)
}
