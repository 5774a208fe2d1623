import { describe, it } from "@effect/vitest"
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { assert } from "vitest"
import { formatPageCursor, parsePageCursor } from "../../src/shared/Page.ts"

const sortKey = fc.constantFrom("created_at", "updated_at")
const cursor = fc.record({ createdAt: fc.integer({ min: 0, max: 253_402_300_799_999 }), id: fc.uuid() })

describe("Cursors", () => {
  it("a cursor is parsed back unchanged and needs no URL escaping", () =>
    fc.assert(
      fc.property(cursor, sortKey, (position, key) => {
        const text = formatPageCursor(position, key)
        assert.match(text, /^[A-Za-z0-9_-]+$/)
        assert.deepStrictEqual(parsePageCursor(text, key), Option.some(position))
      })
    ))

  it("an arbitrary text is rejected as a cursor", () =>
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.string().map(Base64Url.encode)), sortKey, (text, key) => {
        assert.isTrue(Option.isNone(parsePageCursor(text, key)))
      })
    ))

  it("a cursor with missing, extra or invalid parts is rejected", () => {
    const moment = "2026-01-30T12:00:00.000Z"
    const id = "0198a000-0000-7000-8000-000000000001"
    assert.isTrue(Option.isSome(parsePageCursor(Base64Url.encode(`${moment} ${id}`), "created_at")))
    for (const text of [
      moment,
      id,
      `${id} ${moment}`,
      `${moment} ${id} `,
      `${moment} ${id} more`,
      `${moment}  ${id}`,
      `${moment} ${id.slice(1)}`,
      `${moment} ${id.slice(0, -1)}'`,
      `${moment} ${id}0`,
      `2026-01-30 ${id}`,
      `NaN ${id}`,
      `1769774400000 ${id}`
    ])
      assert.isTrue(Option.isNone(parsePageCursor(Base64Url.encode(text), "created_at")), text)
  })
})
