import { assert, it } from "@effect/vitest"
import { limitResponseSize } from "../../src/shared/ResponseLimit.ts"

const tooLarge = new Error("too large")

it("a response body of exactly the limit is read, and reading a longer body fails", async () => {
  const limited = (bytes: number) => limitResponseSize(bytes, tooLarge)(new Response("0123456789", { status: 201 }))
  const whole = limited(10)
  assert.deepStrictEqual([whole.status, await whole.text()], [201, "0123456789"])
  const failure = await limited(9)
    .text()
    .catch((error: unknown) => error)
  assert.strictEqual(failure, tooLarge)
})

it("a response without a body is returned unchanged", () => {
  const empty = new Response(null, { status: 204 })
  assert.strictEqual(limitResponseSize(0, tooLarge)(empty), empty)
})
