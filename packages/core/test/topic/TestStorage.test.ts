import { assert, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { estimateMaxTopicBytes, findExceededTestStorageLimit } from "../../src/topic/TestStorage.ts"

it("the calculated size of a topic grows with each text by at least the text's UTF-8 bytes", () => {
  const topic = { content: "Who wins?", externalReference: null, metadata: {} }
  const size = (changes: object, personas = 0) => estimateMaxTopicBytes({ ...topic, ...changes }, personas)
  const text = "é".repeat(50)
  for (const personas of [0, 3]) {
    const bare = size({}, personas)
    assert.isAtLeast(size({ content: topic.content + text }, personas) - bare, 100)
    assert.isAtLeast(size({ externalReference: text }, personas) - bare, 100)
    assert.isAtLeast(size({ metadata: { text } }, personas) - bare, 100)
  }
})

it("the test environment accepts topics up to the limits and refuses the first topic or byte above a limit", () => {
  const limits = { topics: 10, bytes: 1000 }
  const quotaOf = (topics: number, bytes: number) =>
    Option.getOrNull(Option.map(findExceededTestStorageLimit({ topics, bytes }, limits, 100), ({ quota }) => quota))
  assert.isNull(quotaOf(9, 900))
  assert.strictEqual(quotaOf(10, 900), "test_topics")
  assert.strictEqual(quotaOf(9, 901), "test_bytes")
})
