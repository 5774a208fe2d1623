import { assert, describe, it } from "@effect/vitest"
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import { parseClientNetwork } from "@partner-commentary/core/access/RateLimits"
import * as Result from "effect/Result"
import { resolveClientAddress } from "../../src/http/ClientAddress.ts"

const proxies = Result.getOrThrow(IpAllowList.parseAllowList(["10.0.0.0/8", "2001:db8::/32"]))

const address = (socket: string, forwarded?: string, trusted: IpAllowList.IpAllowList = proxies) =>
  resolveClientAddress(socket, forwarded, trusted)

describe("Client address", () => {
  it("the client address is the socket's address unless the socket is a trusted proxy", () => {
    assert.strictEqual(address("203.0.113.7", "198.51.100.1"), "203.0.113.7")
    assert.strictEqual(address("10.1.2.3", "198.51.100.1", []), "10.1.2.3")
    assert.strictEqual(address("10.1.2.3"), "10.1.2.3")
  })

  it("the client address is the right-most forwarded address that is not a trusted proxy", () => {
    assert.strictEqual(address("10.1.2.3", "1.1.1.1, 198.51.100.1"), "198.51.100.1")
    assert.strictEqual(address("10.1.2.3", "1.1.1.1, 198.51.100.1, 10.9.9.9"), "198.51.100.1")
    assert.strictEqual(address("::ffff:10.1.2.3", "198.51.100.1, ::ffff:10.9.9.9, 2001:db8::5"), "198.51.100.1")
    assert.strictEqual(address("2001:db8::1", "2001:4860::8888"), "2001:4860::8888")
  })

  it("the client address is the socket's address when every forwarded address is trusted", () => {
    assert.strictEqual(address("10.1.2.3", "10.0.0.1, 10.0.0.2"), "10.1.2.3")
  })

  it("the client address is read without the port and the brackets that some proxies add", () => {
    for (const [entry, read] of [
      ["203.0.113.9:4711", "203.0.113.9"],
      ["[2001:4860::1]:443", "2001:4860::1"],
      ["[2001:4860::1]", "2001:4860::1"],
      ["2001:4860::1", "2001:4860::1"],
      ["198.51.100.1, 203.0.113.9:4711 ", "203.0.113.9"],
      ["203.0.113.9:1, 10.9.9.9:80, [2001:db8::7]:443", "203.0.113.9"]
    ] as const) {
      assert.strictEqual(address("10.1.2.3", entry), read, entry)
    }
  })

  it("a client with an invalid forwarded address matches no allow list, and the rate limit of the socket's address applies", () => {
    const everybody = Result.getOrThrow(IpAllowList.parseAllowList(["0.0.0.0/0", "::/0"]))
    for (const entry of ["unknown", "_hidden", "1.1.1.1, unknown", "203.0.113.9:4711:1", "a:1", "", " "]) {
      const read = address("10.1.2.3", entry)
      assert.strictEqual(read, "unknown by 10.1.2.3", entry)
      assert.isFalse(IpAllowList.allowsAddress(everybody, read), entry)
      assert.strictEqual(parseClientNetwork(read), "10.1.2.3", entry)
    }
  })

  it("an invalid entry from a trusted proxy makes the client address unknown, whatever entries precede the invalid entry", () => {
    const unreadable = [":80", "[]", "[]:80", "[", "]", "", " ", "-", "unix:", "203.0.113.9:", "203.0.113.9:http"]
    const odd = [
      "[2001:4860::1]garbage",
      "[2001:4860::1]:",
      "[2001:4860::1",
      "2001:4860::1]:443",
      "203.0.113.9 1.1.1.1"
    ]
    for (const entry of [...unreadable, ...odd, '"203.0.113.9"', "203.0.113.9/32"]) {
      for (const header of [
        `1.1.1.1, ${entry}`,
        `1.1.1.1,${entry},10.9.9.9`,
        `1.1.1.1, ${entry}, 10.9.9.9:80, [2001:db8::7]:1`
      ]) {
        assert.strictEqual(address("10.1.2.3", header), "unknown by 10.1.2.3", header)
      }
    }
  })
})
