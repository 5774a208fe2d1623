import { assert, describe, it } from "@effect/vitest"
import * as EgressGuard from "@partner-commentary/webhook/EgressGuard"
import * as fc from "fast-check"
import { privateAddresses, publicAddresses } from "./Addresses.ts"

const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255))
const hex = ([a, b, c, d]: [number, number, number, number]) =>
  `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`

describe("Egress guard", () => {
  it("the egress guard refuses every address of a private, reserved or special network", () => {
    assert.deepStrictEqual(privateAddresses.filter(EgressGuard.isPublicAddress), [])
  })

  it("the egress guard allows every address of the public internet", () => {
    assert.deepStrictEqual(
      publicAddresses.filter((address) => !EgressGuard.isPublicAddress(address)),
      []
    )
  })

  it("the egress guard refuses IPv4 addresses in every IPv6 form", () => {
    void fc.assert(
      fc.property(octets, (octets) => {
        const dotted = octets.join(".")
        for (const dressed of [
          `::${dotted}`,
          `::ffff:${dotted}`,
          `::ffff:${hex(octets)}`,
          `64:ff9b::${dotted}`,
          `64:ff9b:1::${dotted}`,
          `2002:${hex(octets)}::1`,
          `2001:0:${hex(octets)}::1`
        ]) {
          assert.isFalse(EgressGuard.isPublicAddress(dressed), dressed)
        }
      })
    )
  })

  it("the egress guard refuses IPv6 addresses outside 2000::/3, the block of assigned global addresses", () => {
    void fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
        if ((bytes[0]! & 0xe0) === 0x20) bytes[0]! ^= 0x40
        const groups = Array.from({ length: 8 }, (_, at) => ((bytes[2 * at]! << 8) | bytes[2 * at + 1]!).toString(16))
        assert.isFalse(EgressGuard.isPublicAddress(groups.join(":")))
      })
    )
  })

  it("the egress guard refuses every text that is not a plain address", () => {
    for (const text of [
      "",
      "example.com",
      "8.8.8.8:443",
      "8.8.8",
      "010.8.8.8",
      "0x8.8.8.8",
      "[2606:4700::1]",
      "2606:4700::1%1"
    ]) {
      assert.isFalse(EgressGuard.isPublicAddress(text), text)
    }
  })
})
