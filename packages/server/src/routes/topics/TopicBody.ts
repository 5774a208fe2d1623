/**
 * Validates the body of a submitted topic. The validation includes rules that the schema cannot express, so that one
 * response reports all problems.
 */

import { CreateTopicBody } from "@partner-commentary/api/CreateTopicBody"
import type { RequestProblem } from "@partner-commentary/api/Errors"
import { countCodePoints } from "@partner-commentary/core/shared/Text"
import { findTopicContentProblem, type TopicContentLengthLimits } from "@partner-commentary/core/topic/Topic"
import * as Predicate from "effect/Predicate"
import { makeJsonBodyDecoder, makeJsonTextDecoder } from "../../http/Body.ts"
import { findBodyTimeProblems } from "../../http/BodyTime.ts"

/** Decodes the topic in the body of a request. */
export const makeTopicBodyDecoder = (bounds: TopicContentLengthLimits) =>
  makeJsonBodyDecoder(CreateTopicBody, findFurtherProblems(bounds))

/** Decodes a topic from its JSON text. */
export const makeTopicJsonDecoder = (bounds: TopicContentLengthLimits) =>
  makeJsonTextDecoder(CreateTopicBody, findFurtherProblems(bounds))

const findFurtherProblems =
  (bounds: TopicContentLengthLimits) =>
  ({ content, metadata, respond_by }: Readonly<Record<string, unknown>>): ReadonlyArray<RequestProblem> => [
    ...(Predicate.isString(content) ? contentProblems(content, bounds) : []),
    ...(Predicate.isReadonlyObject(metadata) && isTooLarge(metadata) ? [tooLarge] : []),
    ...findBodyTimeProblems("respond_by", respond_by)
  ]

const contentProblems = (content: string, bounds: TopicContentLengthLimits): ReadonlyArray<RequestProblem> => {
  const problem = findTopicContentProblem(content, bounds)
  return problem === null ? [] : [{ field: "content", constraint: constraints[problem](bounds, content) }]
}

const constraints = {
  length: ({ max, min }: TopicContentLengthLimits, content: string) =>
    `must be ${min} to ${max} characters long after trimming, and has ${countCodePoints(content.trim())}`,
  controls: () => "must not contain control characters",
  invisible: () => "must hold something that can be read"
}

/** The maximum size of the metadata, in bytes of UTF-8 JSON. */
const maxMetadata = 16 * 1024

const tooLarge: RequestProblem = { field: "metadata", constraint: `must be at most ${maxMetadata / 1024} KiB as JSON` }

const isTooLarge = (metadata: object): boolean => {
  const json = JSON.stringify(metadata)
  // One UTF-16 code unit needs at most three bytes in UTF-8, so a short text is within the limit without an exact
  // count.
  return json.length * 3 > maxMetadata && new TextEncoder().encode(json).length > maxMetadata
}
