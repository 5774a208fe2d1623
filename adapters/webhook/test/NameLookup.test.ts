import { assert, describe, it } from "@effect/vitest"
import * as NameLookup from "@partner-commentary/webhook/NameLookup"
import * as Effect from "effect/Effect"
import { startNameServer } from "./NameServer.ts"
import { listenHttp, makeTransport, makeWebhookRequest } from "./Receivers.ts"

const zone = {
  "both.example.com": ["93.184.215.14", "1.1.1.1", "2606:4700:4700::1111"],
  "four.example.com": ["93.184.215.14"],
  "six.example.com": ["2606:4700:4700::1111"],
  "half.example.com": ["93.184.215.14", "fails for AAAA"],
  "empty.example.com": [],
  "broken.example.com": ["fails for A", "fails for AAAA"],
  "inside.example.com": ["93.184.215.14", "fd00:ec2::254"],
  "here.example.com": ["127.0.0.1"]
}

describe("Host name of a receiver", () => {
  it.live("a host name resolves to all of its IPv4 and IPv6 addresses", () =>
    Effect.gen(function* () {
      const lookup = yield* NameLookup.makeNameServerLookup([yield* startNameServer(zone)])
      for (const name of ["both", "four", "six"] as const) {
        const found = yield* lookup(`${name}.example.com`)
        assert.sameMembers([...found], zone[`${name}.example.com`])
      }
      assert.deepStrictEqual([...(yield* lookup("half.example.com"))], ["93.184.215.14"])
    })
  )

  it.live("a host name that does not exist or has no address is distinguished from a failed lookup", () =>
    Effect.gen(function* () {
      const lookup = yield* NameLookup.makeNameServerLookup([yield* startNameServer(zone)])
      for (const [name, unknown] of [
        ["none.example.com", true],
        ["empty.example.com", true],
        ["broken.example.com", false]
      ] as const) {
        assert.strictEqual((yield* Effect.flip(lookup(name))).unknown, unknown, name)
      }
    })
  )

  it.live("a host name with a private IPv4 or IPv6 address is refused, even if its other addresses are public", () =>
    Effect.gen(function* () {
      const lookup = yield* NameLookup.makeNameServerLookup([yield* startNameServer(zone)])
      const { check, send } = yield* makeTransport({ allowPrivate: false, lookup })
      yield* check("https://both.example.com/")
      yield* check("https://none.example.com/")
      yield* check("https://broken.example.com/")
      yield* Effect.flip(check("https://inside.example.com/"))
      const { failure } = yield* Effect.flip(send(makeWebhookRequest("https://inside.example.com/")))
      assert.strictEqual(failure, "blocked")
    })
  )

  it.live("a connection to a host name uses the address that the name server returned", () =>
    Effect.gen(function* () {
      const lookup = yield* NameLookup.makeNameServerLookup([yield* startNameServer(zone)])
      const { port } = yield* listenHttp((call, answer) => answer.end(call.headers.host))
      const { send } = yield* makeTransport({ allowPrivate: true, lookup })
      const { excerpt } = yield* send(makeWebhookRequest(`http://here.example.com:${port}/`))
      assert.strictEqual(excerpt, `here.example.com:${port}`)
    })
  )

  it.live("localhost is resolved by the operating system", () =>
    Effect.gen(function* () {
      const found = yield* NameLookup.lookupWithSystemResolver("localhost")
      assert.isTrue(found.length > 0 && found.every((address) => address === "127.0.0.1" || address === "::1"))
      const { unknown } = yield* Effect.flip(NameLookup.lookupWithSystemResolver("nowhere.invalid"))
      assert.isBoolean(unknown)
    })
  )
})
