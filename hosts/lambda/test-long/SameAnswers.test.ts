/** Tests that Lambda returns the same responses as every other host, for the events of every event source. */
import { assert, describe, it } from "@effect/vitest"
import * as HostConformance from "@partner-commentary/test/HostConformance"
import type { HostCapability } from "@partner-commentary/test/HostRequests"
import * as Effect from "effect/Effect"
import * as Service from "../test/Service.ts"
import { eventMakersBySource, testClientAddress } from "../test/Sources.ts"

/** A Lambda event contains the complete body, so no request is chunked. */
const never: ReadonlyArray<HostCapability> = ["chunks"]

/**
 * Repeated headers and parameters are excluded, because some event sources join or drop repeated values before the
 * function receives the event.
 */
const listMissingCapabilities = (source: string): ReadonlyArray<HostCapability> => {
  if (/multi-value|REST|1\.0/.test(source)) return never
  return source === "a load balancer"
    ? [...never, "repeated headers", "repeated query"]
    : [...never, "repeated headers"]
}

describe("Lambda returns the same response to every request as the other hosts", () => {
  for (const [source, event] of Object.entries(eventMakersBySource)) {
    it.effect(source, () =>
      Effect.gen(function* () {
        const handle = yield* Service.makeLambdaHandler
        const partner = yield* HostConformance.seedPartner(testClientAddress)
        const ask: HostConformance.SendHostRequest = (asked) =>
          handle(event(asked), Service.lambdaContextWithOneMinuteLeft).then(Service.normalizeResponse)
        const same = HostConformance.checkConformance({
          ask,
          apiRoot: Service.apiRoot,
          partner,
          lacks: listMissingCapabilities(source)
        })
        assert.isAbove(yield* Effect.promise(() => same), 80)
        yield* Effect.promise(handle.dispose)
      }).pipe(Effect.provide(Service.layer))
    )
  }
})
