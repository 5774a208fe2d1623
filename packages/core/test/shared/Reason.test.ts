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

  it("the reason of an SQL error is the database's own message", () => {
    const reason = { message: "statement failed", cause: new Error("disk full") }
    assert.strictEqual(formatErrorWithCauses({ _tag: "SqlError", reason }), "disk full")
  })
})
