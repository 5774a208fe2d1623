/**
 * Limits what the test environment stores for one organization: the size of a topic, and whether one more fits. Pure.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Topic } from "./Topic.ts"

/** Topics and bytes in an organization's test environment, either stored or allowed. */
export interface TestStorage {
  readonly topics: number
  readonly bytes: number
}

/** @public */
export const TestStorageLimit = Schema.Literals(["test_topics", "test_bytes"])
export type TestStorageLimit = typeof TestStorageLimit.Type

export class TestStorageFull extends Schema.TaggedError<TestStorageFull>()("TestStorageFull", {
  quota: TestStorageLimit,
  limit: Schema.Int,
  /** The remaining amount, which was too small. */
  remaining: Schema.Int
}) {}

/** Row, index entries and totals of a topic, without its texts. */
const topicBytes = 1000

/** Row, index entries, draft, commentary, audit entries and two events of an assignment, without the topic's texts. */
const assignmentBytes = 7000

/** An assignment can have two events, and each repeats the topic's metadata. */
const eventsEach = 2

/**
 * Maximum size of a topic with all its assignments, without deliveries. It is reserved at submission, so that later
 * steps change no counter.
 */
export const bytesOf = (
  { content, externalReference, metadata }: Pick<Topic, "content" | "externalReference" | "metadata">,
  personas: number
): number => {
  const own = utf8(JSON.stringify(metadata))
  const texts = utf8(content) + utf8(externalReference ?? "") + own
  // A draft and its copies quote up to 200 characters of the content.
  const each = assignmentBytes + eventsEach * (own + utf8(externalReference ?? "")) + Math.min(utf8(content), 800) * 4
  return topicBytes + texts + personas * each
}

/** Why a topic of this size does not fit; none when it does. `stored` excludes it. */
export const refusal = (stored: TestStorage, limits: TestStorage, bytes: number): Option.Option<TestStorageFull> => {
  if (stored.topics + 1 > limits.topics) return full("test_topics", limits.topics, stored.topics)
  return stored.bytes + bytes > limits.bytes ? full("test_bytes", limits.bytes, stored.bytes) : Option.none()
}

const full = (quota: TestStorageLimit, limit: number, used: number) =>
  Option.some(new TestStorageFull({ quota, limit, remaining: Math.max(0, limit - used) }))

const encoder = new TextEncoder()

const utf8 = (text: string): number => encoder.encode(text).length
