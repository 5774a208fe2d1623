/**
 * Tests that the conformance suite fails with one error that lists every difference, except for headers and redirects
 * that the embedder declares.
 */
import { assert, it } from "@effect/vitest"
import * as HostConformance from "@partner-commentary/test/HostConformance"
import { TestService } from "@partner-commentary/test/TestService"
import * as Effect from "effect/Effect"

const apiRoot = "http://commentary.example"
const lacks = ["address", "dots", "repeated headers", "chunks"] as const
const slash = "/partner/v1/personas/"

/**
 * Wraps a host with a router that adds a header, redirects a trailing slash, and changes the responses of two paths.
 */
const changed =
  (ask: HostConformance.SendHostRequest): HostConformance.SendHostRequest =>
  async (asked) => {
    if (asked.target === slash) {
      return { status: 308, headers: { location: slash.slice(0, -1) }, bytes: new Uint8Array() }
    }
    if (asked.target === "/avatar.svg") throw new Error("reset")
    const told = await ask(asked)
    return { ...told, status: asked.target === "/healthz" ? 203 : told.status, headers: { ...told.headers, via: "us" } }
  }

const checked = (options: Partial<HostConformance.ConformanceOptions>) =>
  Effect.gen(function* () {
    const { handle } = yield* TestService
    const partner = yield* HostConformance.seedPartner("127.0.0.1")
    const ask = changed(HostConformance.requestWithFetch(handle))
    return yield* Effect.promise(() =>
      HostConformance.checkConformance({ ask, apiRoot, partner, lacks, ...options }).then(
        () => [],
        (error: unknown) =>
          error instanceof HostConformance.HostDiffers
            ? error.differences.map(({ message, request }) => [request, message] as const)
            : Promise.reject(error)
      )
    )
  }).pipe(Effect.provide(TestService.layer({ apiRoot, start: 1_800_000_000_000 })))

it.live("the conformance suite reports every difference, except for ignored headers and expected redirects", () =>
  Effect.gen(function* () {
    const redirects = [{ target: slash, status: 308, location: slash.slice(0, -1) }]
    const found = yield* checked({ ignoreHeaders: ["Via"], redirects })
    assert.deepStrictEqual(
      found.map(([request]) => request),
      ["GET /healthz", "GET /avatar.svg", "HEAD /healthz"]
    )
    assert.include(found[1]?.[1], "is not answered: Error: reset")
    const elsewhere = yield* checked({ ignoreHeaders: ["via"], redirects: [{ ...redirects[0]!, status: 301 }] })
    assert.include(
      elsewhere.map(([, message]) => message).join(),
      "is answered by 308 to /partner/v1/personas, instead of 301"
    )
    assert.isAbove((yield* checked({ redirects })).length, 80)
  })
)
