/**
 * Reads the body of POST /topics/bulk. A problem with the whole body, such as invalid JSON, rejects the whole request.
 * The reader returns the JSON text of each topic, and each topic is validated like a single submission.
 */
import { maxBulkPersonas, maxBulkTopics } from "@partner-commentary/api/BulkApi"
import type { RequestProblem } from "@partner-commentary/api/Errors"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { maxBodyBytes } from "../../http/Body.ts"
import * as JsonReader from "../../http/JsonReader.ts"
import * as Steps from "../../http/Steps.ts"
import * as StrictJson from "../../http/StrictJson.ts"

/**
 * Returns the JSON text of each topic in order. The body is scanned in steps, because a body can contain a million
 * small values.
 */
export const splitBulkBodyIntoTopics = Effect.fnUntraced(function* (
  text: string
): Effect.fn.Return<ReadonlyArray<string>, RequestProblem> {
  const cut = cutting(text)
  const isJson = yield* Steps.runInSteps(JsonReader.read(text, cut))
  if (cut.isDeep()) {
    return yield* Effect.fail({ field: "body", constraint: `must not be nested deeper than ${maxLevels} levels` })
  }
  if (!isJson) return yield* Effect.fail({ field: "body", constraint: "must be valid JSON" })
  return yield* Effect.fromResult(cut.topics())
})

/** Adds the index of the topic to the field path of a topic's problem. */
export const addTopicIndexToField = (index: number, { constraint, field }: RequestProblem): RequestProblem => ({
  field: field === "body" ? `${list}[${index}]` : `${list}[${index}].${field}`,
  constraint
})

/** Returns whether a topic is too large. A topic in a bulk request has the same size limit as a single topic. */
export const isTopicTooLarge = (text: string): boolean =>
  text.length * 3 > maxBodyBytes && new TextEncoder().encode(text).length > maxBodyBytes

const list = "topics"

/**
 * The maximum nesting depth of a body. A body with deeper nesting is rejected without parsing, because parsing would be
 * slow. Up to 1000 levels, the service rejects only the topics that are nested too deeply, not the whole request.
 */
const maxLevels = 1000

/** Collects the JSON texts of the list's entries during the scan. */
const cutting = (text: string) => {
  const found: Array<string> = []
  let isObject = false
  let isDeep = false
  let lists = 0
  let isList = false
  let personas = 0
  let problem: RequestProblem | undefined
  let field = ""
  let topicField = ""
  let counts = false
  let start = 0
  const listed = () => field === list && isList

  return {
    key: (depth: number, name: string) => {
      if (depth === 1) {
        field = name
        if (name === list && ++lists > 1) problem ??= { field: list, constraint: "must not be given twice" }
      } else if (depth === 3) topicField = name
    },
    begin: (depth: number, at: number, kind: "object" | "array" | "scalar") => {
      if (depth === 0) isObject = kind === "object"
      else if (depth === 1 && field === list) isList = kind === "array"
      else if (depth === 2 && listed()) start = at
      else if (depth === 3 && listed()) counts = topicField === "persona_ids" && kind === "array" && isObject
      else if (depth === 4 && listed() && counts) personas++
      if (kind === "scalar") return true
      if (depth === maxLevels) isDeep = true
      if (depth > StrictJson.maxNestingDepth && field !== list) {
        problem ??= { field, constraint: `must not be nested deeper than ${StrictJson.maxNestingDepth} levels` }
      }
      return !isDeep
    },
    end: (depth: number, end: number) => {
      if (depth !== 2 || !listed()) return
      found.push(text.slice(start, end))
      topicField = ""
    },
    isDeep: () => isDeep,
    topics: (): Result.Result<ReadonlyArray<string>, RequestProblem> => {
      if (!isObject) return Result.fail({ field: "body", constraint: "must be a JSON object" })
      const constraint = listConstraint(lists > 0, isList, found.length, personas)
      if (constraint !== undefined) return Result.fail({ field: list, constraint })
      return problem === undefined ? Result.succeed(found) : Result.fail(problem)
    }
  }
}

const listConstraint = (isGiven: boolean, isList: boolean, topics: number, personas: number): string | undefined => {
  if (!isGiven) return "is required"
  if (!isList) return "must be an array"
  if (topics === 0) return "must hold at least one topic"
  if (topics > maxBulkTopics) return `must hold at most ${maxBulkTopics} topics`
  return personas > maxBulkPersonas ? `must name at most ${maxBulkPersonas} personas in all` : undefined
}
