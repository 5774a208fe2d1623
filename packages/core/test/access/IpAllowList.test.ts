import { describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert } from "vitest"
import { allowsAddress, parseAllowList } from "../../src/access/IpAllowList.ts"

const allowed = (entries: ReadonlyArray<string>, address: string) =>
  allowsAddress(Result.getOrThrow(parseAllowList(entries)), address)

const flip = (value: bigint, bit: number) => value ^ (1n << BigInt(bit))
const v4 = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join(".")
const v6 = (value: bigint) =>
  Array.from({ length: 8 }, (_, at) => ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16)).join(":")

const value4 = fc.bigInt({ min: 0n, max: (1n << 32n) - 1n })
/**
 * Generates addresses in 2000::/3. The range 2000::/3 contains the public IPv6 addresses but no IPv4-mapped addresses.
 */
const value6 = fc.bigInt({ min: 0n, max: (1n << 125n) - 1n }).map((rest) => rest | (1n << 125n))

describe("an allow list", () => {
  it("an empty allow list allows every address, even an invalid address", () => {
    for (const address of ["203.0.113.7", "2001:db8::1", "", "garbage"]) assert.isTrue(allowed([], address))
  })

  it("an allow list allows only the addresses and ranges in the list", () => {
    assert.isTrue(allowed(["203.0.113.7"], "203.0.113.7"))
    assert.isFalse(allowed(["203.0.113.7"], "203.0.113.8"))
    assert.isTrue(allowed(["2001:db8::1"], "2001:0DB8:0:0:0:0:0:1"))
    assert.isFalse(allowed(["2001:db8::1"], "2001:db8::2"))
    assert.isTrue(allowed(["198.51.100.1", "203.0.113.7", "2001:db8::/32"], "2001:db8:ffff::1"))
  })

  it("an allow list accepts ranges with host bits set", () => {
    assert.isTrue(allowed(["203.0.113.77/24"], "203.0.113.1"))
    assert.isFalse(allowed(["203.0.113.77/24"], "203.0.112.255"))
    assert.isTrue(allowed(["2001:db8:1:2::5/64"], "2001:db8:1:2:ffff::"))
  })

  it("a /0 range allows either all IPv4 addresses and no IPv6 address, or all IPv6 addresses and no IPv4 address", () => {
    assert.isTrue(allowed(["0.0.0.0/0"], "203.0.113.7"))
    assert.isTrue(allowed(["0.0.0.0/0"], "255.255.255.255"))
    assert.isFalse(allowed(["0.0.0.0/0"], "2001:db8::1"))
    assert.isTrue(allowed(["::/0"], "2001:db8::1"))
    assert.isFalse(allowed(["::/0"], "203.0.113.7"))
  })

  it("an allow list treats IPv4-mapped addresses as IPv4, in the list and in the request", () => {
    assert.isTrue(allowed(["203.0.113.7"], "::ffff:203.0.113.7"))
    assert.isTrue(allowed(["203.0.113.0/24"], "::ffff:cb00:7107"))
    assert.isTrue(allowed(["::ffff:203.0.113.7"], "203.0.113.7"))
    assert.isTrue(allowed(["::ffff:203.0.113.0/120"], "203.0.113.200"))
    assert.isFalse(allowed(["::ffff:203.0.113.0/120"], "203.0.114.1"))
    assert.isTrue(allowed(["::ffff:0.0.0.0/96"], "198.51.100.1"))
  })

  it("a non-empty allow list rejects an invalid address", () => {
    for (const address of ["", "garbage", "203.0.113", "203.0.113.7:80", "203.0.113.7, 198.51.100.1", "[2001:db8::1]"])
      assert.isFalse(allowed(["0.0.0.0/0", "::/0"], address), address)
  })

  it("an allow list with invalid entries is rejected, and the failure is the first invalid entry", () => {
    const garbage = ["", "/", "*", "example.com", "203.0.113", "203.0.113.256", "203.0.113.7/33", "203.0.113.7/-1"]
    const more = ["203.0.113.7/", "203.0.113.7/8/8", "203.0.113.7 ", "203.0.113.7/1e1", "::1/129", "[::1]", "0x7f.1"]
    for (const entry of [...garbage, ...more, "01.2.3.4", "203.0.113.7:80", "::1::"])
      assert.deepStrictEqual(parseAllowList(["203.0.113.7", entry, "worse"]), Result.fail(entry), entry)
  })

  describe("a range made from an address", () => {
    const families = [
      ["IPv4", 32, value4, v4],
      ["IPv6", 128, value6, v6]
    ] as const
    for (const [family, width, value, text] of families) {
      it(`an ${family} range allows every address with the same prefix and rejects an address with a different prefix`, () =>
        fc.assert(
          fc.property(value, fc.nat({ max: width }), fc.nat(), (address, prefix, at) => {
            const range = [`${text(address)}/${prefix}`]
            assert.isTrue(allowed(range, text(address)))
            if (prefix < width) assert.isTrue(allowed(range, text(flip(address, at % (width - prefix)))))
            if (prefix > 0) assert.isFalse(allowed(range, text(flip(address, width - prefix + (at % prefix)))))
          }),
          { numRuns: 300 }
        ))
    }
  })
})
