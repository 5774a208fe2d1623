/** Tests that logs and start-up errors contain the original error message. */
import { assert, describe, it } from "@effect/vitest"
import { formatErrorWithCauses } from "../../src/shared/Reason.ts"

describe("Error reasons", () => {
  it("the reason of an error is the error's message without a full stop, followed by the cause", () => {
    assert.strictEqual(formatErrorWithCauses(new Error("It failed.")), "It failed")
    assert.strictEqual(formatErrorWithCauses("It failed."), "It failed")
    assert.strictEqual(
      formatErrorWithCauses(new Error("It failed", { cause: new Error("no disk.") })),
      "It failed: no disk"
    )
  })

  it("the reason of an AggregateError is its first error's message, or its own message if it contains no errors", () => {
    const errors = [new Error("connection refused"), new Error("no route")]
    assert.strictEqual(formatErrorWithCauses(new AggregateError(errors, "all failed")), "connection refused")
    assert.strictEqual(formatErrorWithCauses(new AggregateError([], "all failed")), "all failed")
  })

  it("the reason of an error without a message is its code, else its name, else its JSON", () => {
    for (const [error, reason] of [
      [{ status: 500, message: "quota exceeded" }, "quota exceeded"],
      [new Error("wrap", { cause: { code: "EX" } }), "wrap: EX"],
      [new Error(""), "Error"],
      [new TypeError(" "), "TypeError"],
      [Object.assign(new Error(""), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
      [{ name: "QuotaError", code: 7 }, "QuotaError"],
      [{ message: "", status: 500 }, '{"message":"","status":500}'],
      [[1, 2], "[1,2]"],
      [Object.create(null), "{}"],
      [null, "null"],
      [undefined, "undefined"],
      [Symbol("s"), "Symbol(s)"]
    ] as const) {
      assert.strictEqual(formatErrorWithCauses(error), reason)
    }
  })

  it("the reason of an object that cannot be read is a fixed text, and a long reason is shortened", () => {
    const unreadable = {
      get message(): string {
        throw new Error("no")
      }
    }
    const cyclic: Record<string, unknown> = {}
    cyclic["self"] = cyclic
    for (const error of [unreadable, cyclic, { big: 1n }, { toJSON: () => undefined }]) {
      assert.strictEqual(formatErrorWithCauses(error), "an error that cannot be read")
    }
    assert.strictEqual(
      formatErrorWithCauses(new Error("wrap", { cause: unreadable })),
      "wrap: an error that cannot be read"
    )
    assert.lengthOf(formatErrorWithCauses({ status: "x".repeat(10_000) }), 300)
    const loop = new Error("loop")
    loop.cause = loop
    assert.isBelow(formatErrorWithCauses(loop).length, 200)
  })

  it("the reason of an SQL error is the database's own message", () => {
    const reason = { message: "statement failed", cause: new Error("disk full") }
    assert.strictEqual(formatErrorWithCauses({ _tag: "SqlError", reason }), "disk full")
  })
})
