/** Tests that the test host passes the conformance suite of hosts. */
import { assert, it } from "@effect/vitest"
import * as HostConformance from "@partner-commentary/test/HostConformance"
import { TestService } from "@partner-commentary/test/TestService"
import * as Effect from "effect/Effect"

const apiRoot = "http://commentary.example"

/** The capabilities that the test host lacks, because its callers have no address and it receives web Requests. */
const lacks = ["address", "dots", "repeated headers", "chunks"] as const

it.live("the test host gives the same responses as the other hosts", () =>
  Effect.gen(function* () {
    const { handle } = yield* TestService
    const partner = yield* HostConformance.seedPartner("127.0.0.1")
    const ask = HostConformance.requestWithFetch(handle)
    assert.isAbove(yield* Effect.promise(() => HostConformance.checkConformance({ ask, apiRoot, partner, lacks })), 80)
  }).pipe(Effect.provide(TestService.layer({ apiRoot, start: 1_800_000_000_000 })))
)
