/** Tests a key's IP allow list over real HTTP, with and without trusted proxies. */
import { assert, it } from "@effect/vitest"
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import { TrustedProxies } from "@partner-commentary/server/ClientAddress"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { makeApiKeyCalls, sendRequestWithKey } from "../support/ApiKeyCalls.ts"

const behind = (proxies: ReadonlyArray<string>) =>
  TestApi.layerHttp.pipe(
    Layer.provide(Layer.succeed(TrustedProxies, Result.getOrThrow(IpAllowList.parseAllowList(proxies)))),
    Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) }))
  )

/** Returns the addresses from `callers` that are accepted for a key with this allow list. */
const filterAllowedCallers = (list: ReadonlyArray<string>, callers: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { create } = yield* makeApiKeyCalls(yield* Seed.createOrganization())
    const { full_key } = yield* create({ ip_whitelist: list })
    return yield* Effect.filter(callers, (caller) =>
      Effect.map(sendRequestWithKey(full_key, { "x-forwarded-for": caller }), (outcome) => {
        assert.include([200, "ip_restricted"], outcome)
        return outcome === 200
      })
    )
  })

it.effect("a key works only from addresses in the key's allow list, in any notation of the address", () =>
  Effect.gen(function* () {
    const callers = [
      ...["203.0.113.7", "203.0.113.8", "::ffff:203.0.113.7", "::ffff:cb00:7107", "198.51.100.1"],
      ...["2001:db8::1", "2001:DB8:0:0:0:0:0:1", "2001:db8:1::1", "2001:db9::1", "unknown"]
    ]
    const four = ["203.0.113.7", "::ffff:203.0.113.7", "::ffff:cb00:7107"]
    assert.deepStrictEqual(yield* filterAllowedCallers(["203.0.113.7"], callers), four)
    assert.deepStrictEqual(yield* filterAllowedCallers(["::ffff:203.0.113.7"], callers), four)
    assert.deepStrictEqual(yield* filterAllowedCallers(["203.0.113.0/29"], callers), four)
    assert.deepStrictEqual(yield* filterAllowedCallers(["::ffff:203.0.113.0/125"], callers), four)
    assert.deepStrictEqual(yield* filterAllowedCallers(["203.0.113.0/24"], callers), [
      four[0],
      "203.0.113.8",
      ...four.slice(1)
    ])
    assert.deepStrictEqual(yield* filterAllowedCallers(["2001:db8::1"], callers), [
      "2001:db8::1",
      "2001:DB8:0:0:0:0:0:1"
    ])
    assert.deepStrictEqual(yield* filterAllowedCallers(["2001:db8::/32"], callers), callers.slice(5, 8))
    assert.deepStrictEqual(yield* filterAllowedCallers(["0.0.0.0/0"], callers), callers.slice(0, 5))
    assert.deepStrictEqual(yield* filterAllowedCallers(["::/0"], callers), callers.slice(5, 9))
    assert.deepStrictEqual(yield* filterAllowedCallers(["198.51.100.0/24", "2001:db9::/32"], callers), [
      callers[4],
      callers[8]
    ])
    assert.deepStrictEqual(yield* filterAllowedCallers([], callers), callers)
  }).pipe(Effect.provide(behind(["127.0.0.0/8"])))
)

it.effect("an address that the client wrote into the header X-Forwarded-For does not satisfy the allow list", () =>
  Effect.gen(function* () {
    const claims = ["203.0.113.7, 198.51.100.1", "198.51.100.1, 203.0.113.7", "198.51.100.1, 203.0.113.7, 10.0.0.1"]
    assert.deepStrictEqual(yield* filterAllowedCallers(["203.0.113.7"], claims), claims.slice(1))
  }).pipe(Effect.provide(behind(["127.0.0.1", "10.0.0.0/8"])))
)

it.effect("without trusted proxies the allow list applies to the socket's address and ignores headers", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* filterAllowedCallers(["203.0.113.7"], ["203.0.113.7"]), [])
    assert.deepStrictEqual(yield* filterAllowedCallers(["127.0.0.1"], ["203.0.113.7"]), ["203.0.113.7"])
  }).pipe(Effect.provide(behind([])))
)
