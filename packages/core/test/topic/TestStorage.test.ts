import { assert, it } from "@effect/vitest"
import { storedBytesOf } from "../../src/topic/TestStorage.ts"

it("the size of a topic grows with each of its texts by at least their bytes in UTF-8", () => {
  const topic = { content: "Who wins?", externalReference: null, metadata: {} }
  const size = (changes: object, personas = 0) => storedBytesOf({ ...topic, ...changes }, personas)
  const text = "é".repeat(50)
  for (const personas of [0, 3]) {
    const bare = size({}, personas)
    assert.isAtLeast(size({ content: topic.content + text }, personas) - bare, 100)
    assert.isAtLeast(size({ externalReference: text }, personas) - bare, 100)
    assert.isAtLeast(size({ metadata: { text } }, personas) - bare, 100)
  }
})
