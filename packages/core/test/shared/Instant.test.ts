import { describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { assert } from "vitest"
import { fromIso, interpolate, latestInstant, parse, plus, toIso } from "../../src/shared/Instant.ts"

const moment = fc.integer({ min: 0, max: 253_402_300_799_999 })

const read = (text: string) => Option.getOrNull(Option.map(parse(text), toIso))

describe("Instants", () => {
  it("an instant is formatted with fixed width and parsed back unchanged", () =>
    fc.assert(
      fc.property(moment, (instant) => {
        const iso = toIso(instant)
        assert.lengthOf(iso, 24)
        assert.strictEqual(fromIso(iso), instant)
        assert.deepStrictEqual(parse(iso), Option.some(instant))
      })
    ))

  it("the texts of instants sort in chronological order", () =>
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        assert.strictEqual(toIso(one) < toIso(other), one < other)
      })
    ))

  it("an ISO 8601 timestamp is parsed with any time zone and precision", () => {
    assert.strictEqual(read("2026-01-30T12:00Z"), "2026-01-30T12:00:00.000Z")
    assert.strictEqual(read("2026-01-30T12:00:00+02:00"), "2026-01-30T10:00:00.000Z")
    assert.strictEqual(read("2026-01-30T12:00:00-0530"), "2026-01-30T17:30:00.000Z")
    assert.strictEqual(read("2026-01-30T12:00:00.123456789Z"), "2026-01-30T12:00:00.123Z")
    assert.strictEqual(read("2026-01-30t12:00:00z"), "2026-01-30T12:00:00.000Z")
    assert.strictEqual(read("2028-02-29T00:00:00Z"), "2028-02-29T00:00:00.000Z")
  })

  it("a timestamp finer than a millisecond is rounded down or up, at most to the end of the year 9999", () => {
    const up = (text: string) => Option.getOrNull(Option.map(parse(text, "up"), toIso))
    assert.strictEqual(up("2026-01-30T12:00:00.822001Z"), "2026-01-30T12:00:00.823Z")
    assert.strictEqual(read("2026-01-30T12:00:00.822999Z"), "2026-01-30T12:00:00.822Z")
    assert.strictEqual(up("2026-01-30T12:00:00.999000001+01:00"), "2026-01-30T11:00:01.000Z")
    assert.strictEqual(up("1969-12-31T23:59:59.9999Z"), "1970-01-01T00:00:00.000Z")
    assert.strictEqual(read("1969-12-31T23:59:59.9999Z"), "1969-12-31T23:59:59.999Z")
    for (const fraction of [".822", ".822000", ".822000000"]) {
      assert.strictEqual(up(`2026-01-30T12:00:00${fraction}Z`), "2026-01-30T12:00:00.822Z", fraction)
    }
    for (const text of ["2026-01-30T12:00Z", "2026-01-30T12:00:00Z", "2026-01-30T12:00:00.0Z"]) {
      assert.strictEqual(up(text), "2026-01-30T12:00:00.000Z", text)
    }
    assert.deepStrictEqual(parse("9999-12-31T23:59:59.9991Z", "up"), Option.some(latestInstant))
    assert.isNull(up("9999-12-31T23:59:59.9991-01:00"))
    assert.isNull(up("2026-02-30T12:00:00.0001Z"))
  })

  it("a text that is not a timestamp with a time zone is rejected", () => {
    for (const text of ["", "tomorrow", "2026-01-30", "2026-01-30T12:00:00", "2026-01-30 12:00:00Z", "1769774400000"])
      assert.isNull(read(text), text)
    for (const text of ["2026-01-30T12:00:00Z ", " 2026-01-30T12:00:00Z", "26-01-30T12:00:00Z", "2026-1-30T12:00:00Z"])
      assert.isNull(read(text), text)
  })

  it("a timestamp with a month, day, hour, minute or time zone out of range is rejected", () => {
    for (const text of ["2026-13-01", "2026-00-01", "2026-01-00", "2026-01-32"])
      assert.isNull(read(`${text}T00:00:00Z`), text)
    for (const text of ["25:00:00Z", "24:00:01Z", "12:60:00Z", "12:00:00+99:99"])
      assert.isNull(read(`2026-01-30T${text}`), text)
  })

  it("a timestamp with a day that does not exist, such as 30 February, is rejected", () => {
    for (const text of ["2026-02-29", "2026-02-30", "2026-04-31", "2026-06-31", "2026-11-31", "2100-02-29"])
      for (const zone of ["Z", "+01:00", "-0800"]) assert.isNull(read(`${text}T12:00:00${zone}`), `${text} ${zone}`)
  })
})

describe("Calculations with instants", () => {
  it("a duration can be added to an instant", () => {
    assert.strictEqual(plus(1000, Duration.minutes(1)), 61_000)
  })

  it("an interpolation between two instants returns a whole millisecond between these instants", () =>
    fc.assert(
      fc.property(moment, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (from, length, part) => {
        const found = interpolate(from, from + length, part)
        assert.isTrue(Number.isInteger(found) && from <= found && found <= from + length)
        assert.strictEqual(interpolate(from, from + 2 * length, 0.5), from + length)
      })
    ))
})
