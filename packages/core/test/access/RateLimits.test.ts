import { it } from "@effect/vitest"
import { assert } from "vitest"
import { parseClientNetwork } from "../../src/access/RateLimits.ts"

it("anonymous callers share a rate window if they have the same IPv4 address or the same IPv6 /64 range", () => {
  assert.strictEqual(parseClientNetwork("::ffff:203.0.113.7"), parseClientNetwork("203.0.113.7"))
  assert.notStrictEqual(parseClientNetwork("203.0.113.8"), parseClientNetwork("203.0.113.7"))
  assert.strictEqual(parseClientNetwork("2001:db8:1:2::1"), parseClientNetwork("2001:DB8:1:2:ffff::9"))
  assert.notStrictEqual(parseClientNetwork("2001:db8:1:3::1"), parseClientNetwork("2001:db8:1:2::1"))
})

it("an anonymous caller with an invalid address has no rate window", () => {
  for (const none of ["", "unix", "1.2.3", "::g"]) assert.strictEqual(parseClientNetwork(none), "")
})
