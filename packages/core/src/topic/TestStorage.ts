/**
 * Limits the storage of one organization in the test environment. These pure functions calculate a topic's size and
 * check whether the organization's remaining storage is large enough.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Topic } from "./Topic.ts"

/** An amount of test storage as a number of topics and bytes: either the stored amount or the allowed amount. */
export interface TestStorageAmount {
  readonly topics: number
  readonly bytes: number
}

/** @public */
export const TestStorageLimit = Schema.Literals(["test_topics", "test_bytes"])
export type TestStorageLimit = typeof TestStorageLimit.Type

export class TestStorageFull extends Schema.TaggedError<TestStorageFull>()("TestStorageFull", {
  quota: TestStorageLimit,
  limit: Schema.Int,
  /** The organization's remaining storage, which is too small for the new topic. */
  remaining: Schema.Int
}) {}

/** The estimated bytes of a topic's row, index entries, counters and event, without the topic's texts. */
const topicBytes = 2000

/**
 * The estimated bytes of an assignment: row, index entries, draft, commentary, audit entries and two events. The
 * estimate for an assignment excludes the topic's texts.
 */
const assignmentBytes = 7000

/** The maximum number of events of a test assignment. Each event repeats the topic's metadata. */
const eventsEach = 2

/**
 * Returns the maximum bytes that a topic and its assignments can use, without deliveries. The submission of a topic
 * reserves the maximum size, so later steps do not update the storage counter.
 */
export const estimateMaxTopicBytes = (
  { content, externalReference, metadata }: Pick<Topic, "content" | "externalReference" | "metadata">,
  personas: number
): number => {
  const own = utf8(JSON.stringify(metadata))
  const repeated = own + utf8(externalReference ?? "")
  // The topic's row and the topic's event both contain the reference and the metadata.
  const texts = utf8(content) + 2 * repeated
  // A draft and each copy of the draft quote up to 200 characters of the content.
  const each = assignmentBytes + eventsEach * repeated + Math.min(utf8(content), 800) * 4
  return topicBytes + texts + personas * each
}

/**
 * Returns the limit that a new topic of this size would exceed; none if the topic fits. `stored` does not include the
 * new topic.
 */
export const findExceededTestStorageLimit = (
  stored: TestStorageAmount,
  limits: TestStorageAmount,
  bytes: number
): Option.Option<TestStorageFull> => {
  if (stored.topics + 1 > limits.topics) return full("test_topics", limits.topics, stored.topics)
  return stored.bytes + bytes > limits.bytes ? full("test_bytes", limits.bytes, stored.bytes) : Option.none()
}

const full = (quota: TestStorageLimit, limit: number, used: number) =>
  Option.some(new TestStorageFull({ quota, limit, remaining: Math.max(0, limit - used) }))

const encoder = new TextEncoder()

const utf8 = (text: string): number => encoder.encode(text).length
