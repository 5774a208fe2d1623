/** Tests the guarantees of the WebhookTransport port. The caller of the suite provides the receiver. */
import { assert, describe } from "@effect/vitest"
import { WebhookTransport } from "@partner-commentary/core/webhook/WebhookTransport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

/** A received request, with lower-case header names. */
export interface ReceivedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: string
}

export interface ReceiverResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface TestReceiver {
  /** A URL that `check` accepts and on which a receiver listens. */
  readonly url: string
  /** A URL that `check` accepts and on which no server listens. */
  readonly unreachableUrl: string
  /** Sets the receiver's response to later requests. */
  readonly answers: (answer: ReceiverResponse) => Effect.Effect<void>
  /** All received requests, oldest first. */
  readonly arrived: Effect.Effect<ReadonlyArray<ReceivedRequest>>
}

const statuses = [200, 201, 202, 204, 301, 304, 307, 400, 404, 410, 429, 500, 503]

export const suite = <R, E, E2>(
  name: string,
  layer: Layer.Layer<WebhookTransport | R, E>,
  receiver: Effect.Effect<TestReceiver, E2, R>
): void => {
  describe(`${name}: WebhookTransport`, () => {
    const it = makeGuaranteeTest(layer)

    it("a request arrives at the receiver once, with every byte and header unchanged", () =>
      Effect.gen(function* () {
        const transport = yield* WebhookTransport
        const { url, arrived } = yield* receiver
        for (const body of ["", "{}", 'Æ 東京 🏆 "\r\n\0', "x".repeat(300_000)])
          yield* transport.send(request(url, body))
        const requests = yield* arrived
        assert.deepStrictEqual(
          requests.map((it) => it.body),
          ["", "{}", 'Æ 東京 🏆 "\r\n\0', "x".repeat(300_000)]
        )
        for (const it of requests) {
          assert.strictEqual(it.url, url)
          assert.deepInclude(it.headers, request(url, "").headers)
        }
      }))

    it("a response with any status is returned, and no redirect is followed", () =>
      Effect.gen(function* () {
        const transport = yield* WebhookTransport
        const { url, answers, arrived } = yield* receiver
        for (const status of statuses) {
          yield* answers({ status, headers: { location: `${url}/elsewhere` } })
          assert.strictEqual((yield* transport.send(request(url))).status, status)
        }
        assert.strictEqual((yield* arrived).length, statuses.length)
      }))

    it("the receiver's Retry-After header is returned unchanged", () =>
      Effect.gen(function* () {
        const transport = yield* WebhookTransport
        const { url, answers } = yield* receiver
        assert.isNull((yield* transport.send(request(url))).retryAfter)
        for (const value of ["120", "Fri, 30 Jan 2026 12:00:00 GMT", "soon"]) {
          yield* answers({ status: 503, headers: { "retry-after": value } })
          assert.strictEqual((yield* transport.send(request(url))).retryAfter, value)
        }
      }))

    it("the excerpt is the first KiB of the response without incomplete characters", () =>
      Effect.gen(function* () {
        const transport = yield* WebhookTransport
        const { url, answers } = yield* receiver
        const excerptOf = (body: string) =>
          Effect.andThen(
            answers({ status: 200, body }),
            Effect.map(transport.send(request(url)), ({ excerpt }) => excerpt)
          )
        assert.strictEqual(yield* excerptOf(""), "")
        assert.strictEqual(yield* excerptOf("thanks 🏆"), "thanks 🏆")
        assert.strictEqual(yield* excerptOf("x".repeat(1024)), "x".repeat(1024))
        assert.strictEqual(yield* excerptOf("x".repeat(5000)), "x".repeat(1024))
        assert.strictEqual(yield* excerptOf(`${"x".repeat(1021)}🏆`), "x".repeat(1021))
        assert.strictEqual(yield* excerptOf("no\0where"), "no\ufffdwhere")
      }))

    it("if no server listens, the reason of the failure is a sentence that contains no address", () =>
      Effect.gen(function* () {
        const transport = yield* WebhookTransport
        const { unreachableUrl } = yield* receiver
        const { failure, reason } = yield* Effect.flip(transport.send(request(unreachableUrl)))
        assert.include(["dns", "refused"], failure)
        assert.match(reason, /^[A-Z][^\d]+\.$/)
      }))

    it("check accepts a receiver's URL, and rejects an invalid URL with the rule that the URL violates", () =>
      Effect.gen(function* () {
        const transport = yield* WebhookTransport
        const { url, unreachableUrl } = yield* receiver
        yield* transport.check(url)
        yield* transport.check(unreachableUrl)
        for (const none of [
          "",
          "receiver",
          "ftp://example.com/",
          "https://",
          "https://me:secret@example.com/",
          "https://a b/"
        ]) {
          assert.match((yield* Effect.flip(transport.check(none))).constraint, /^must /, none)
          assert.strictEqual((yield* Effect.flip(transport.send(request(none)))).failure, "blocked", none)
        }
      }))
  })
}

const request = (url: string, body = "{}") => ({
  url,
  headers: { "content-type": "application/json", "webhook-id": "evt_1", "webhook-signature": "v1,c2lnbmF0dXJl" },
  body,
  timeout: Duration.seconds(10)
})
