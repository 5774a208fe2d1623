import { assert, describe, it } from "@effect/vitest"
import { NameNotResolved } from "@partner-commentary/webhook/NameLookup"
import * as ReceiverUrl from "@partner-commentary/webhook/ReceiverUrl"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import * as TestClock from "effect/testing/TestClock"
import { privateAddresses } from "./Addresses.ts"
import { listenHttp, makeLocalUrl, makeTransport, makeWebhookRequest } from "./Receivers.ts"
import { allowedUrls, refusedUrls } from "./Urls.ts"

const guarded = (...addresses: ReadonlyArray<string>) =>
  makeTransport({ allowPrivate: false, lookup: () => Effect.succeed(addresses) })

/**
 * Returns whether the error message reveals nothing about the service's network: it contains no IP address and no
 * lookup error.
 */
const isFit = (reason: string) => !/\d+\.\d+\.\d+|::|ENOTFOUND|lookup/.test(reason)

describe("Webhook URLs", () => {
  it.live(
    `${refusedUrls.length} internal or ambiguous webhook URLs are refused at registration, and again before an event is sent`,
    () =>
      Effect.gen(function* () {
        const { check, send } = yield* guarded("8.8.8.8")
        for (const url of refusedUrls) {
          const { constraint } = yield* Effect.flip(check(url))
          assert.match(constraint, /^must [^\n]+[^.]$/, url)
          const sent = yield* Effect.flip(send(makeWebhookRequest(url)))
          assert.strictEqual(sent.failure, "blocked", url)
          assert.isTrue(isFit(constraint) && isFit(sent.reason), sent.reason)
        }
      })
  )

  it.live(`a webhook URL is refused if its host is any of ${privateAddresses.length} private addresses`, () =>
    Effect.gen(function* () {
      const { check, send } = yield* guarded("8.8.8.8")
      for (const address of privateAddresses) {
        const url = `https://${address.includes(":") ? `[${address}]` : address}:8443/webhooks`
        assert.match((yield* Effect.flip(check(url))).constraint, /private or reserved/, url)
        assert.strictEqual((yield* Effect.flip(send(makeWebhookRequest(url)))).failure, "blocked", url)
      }
    })
  )

  it.live("a webhook URL is refused if any address of its host name is not public", () =>
    Effect.gen(function* () {
      for (const address of privateAddresses) {
        for (const found of [[address], ["8.8.8.8", address], [address, "2606:4700:4700::1111"]]) {
          const { check, send } = yield* guarded(...found)
          const url = "https://rebind.example.com/"
          assert.match((yield* Effect.flip(check(url))).constraint, /private or reserved/, address)
          const sent = yield* Effect.flip(send(makeWebhookRequest(url)))
          assert.strictEqual(sent.failure, "blocked", address)
          assert.isTrue(isFit(sent.reason), sent.reason)
        }
      }
    })
  )

  it.live("webhook URLs whose hosts have only public addresses are accepted", () =>
    Effect.gen(function* () {
      const { check } = yield* guarded("8.8.8.8", "2606:4700:4700::1111")
      for (const url of allowedUrls) yield* check(url)
    })
  )

  it.live("a webhook URL is accepted while its host name does not resolve, and requests to the URL fail", () =>
    Effect.gen(function* () {
      for (const unknown of [true, false]) {
        const lookup = () => Effect.fail(new NameNotResolved({ unknown }))
        const { check, send } = yield* makeTransport({ allowPrivate: false, lookup })
        yield* check("https://soon.example.com/")
        const sent = yield* Effect.flip(send(makeWebhookRequest("https://soon.example.com/")))
        assert.strictEqual(sent.failure, "dns")
        assert.match(sent.reason, unknown ? /does not resolve/ : /could not be looked up/)
      }
      const silent = yield* guarded()
      yield* silent.check("https://soon.example.com/")
      assert.strictEqual(
        (yield* Effect.flip(silent.send(makeWebhookRequest("https://soon.example.com/")))).failure,
        "dns"
      )
    })
  )

  it.effect("a webhook URL is accepted while the name server of its host is slow", () =>
    Effect.gen(function* () {
      const { check } = yield* makeTransport({ allowPrivate: false, lookup: () => Effect.never })
      const checked = yield* Effect.forkScoped(check("https://slow.example.com/"))
      yield* TestClock.adjust("3 seconds")
      yield* Fiber.join(checked)
    })
  )

  it.live("the refusal of a webhook URL says how to correct the URL", () =>
    Effect.gen(function* () {
      const { check } = yield* guarded("8.8.8.8")
      for (const [url, constraint] of [
        ["http://example.com/", /an https: address$/],
        ["https://:secret@example.com/", /user name or password/],
        ["https://example.com:80/", /port 443 or 8443/],
        ["https://localhost/", /public internet/],
        ["https://127.0.0.1/", /private or reserved/],
        ["https://0x7f.1/", /plainly/],
        ["https://example.com/#x", /fragment/],
        ["https://example.com./", /dot/],
        ["https://example.com/ x", /spaces/],
        ["https:/example.com/", /whole address/]
      ] as const) {
        assert.match((yield* Effect.flip(check(url))).constraint, constraint)
      }
    })
  )

  it.live(
    "a connection uses exactly the address that was checked, even if the host name resolves to another address later",
    () =>
      Effect.gen(function* () {
        const { port, connections } = yield* listenHttp((_, answer) => answer.end())
        const answers = [["8.8.8.8"], ["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["127.0.0.1", "8.8.8.8"]]
        let asked = 0
        const lookup = () => Effect.sync(() => answers[asked++]!)
        const { check, send } = yield* makeTransport({ allowPrivate: false, ports: [port], lookup })
        const url = `https://flips.example.com:${port}/`
        yield* check(url)
        for (let sent = 1; sent < answers.length; sent++) {
          assert.strictEqual((yield* Effect.flip(send(makeWebhookRequest(url)))).failure, "blocked")
          assert.strictEqual(asked, sent + 1)
        }
        assert.strictEqual(connections(), 0)
      })
  )

  it.live("an operator can allow other ports and private receivers, but never credentials in a webhook URL", () =>
    Effect.gen(function* () {
      const { port } = yield* listenHttp((call, answer) => answer.end(call.headers.host))
      const lookup = () => Effect.succeed(["127.0.0.1"])
      const { check, send } = yield* makeTransport({ allowPrivate: true, lookup })
      for (const url of [makeLocalUrl(port), `http://localhost:${port}/`, `http://receiver:${port}/`]) {
        yield* check(url)
        const { status, excerpt } = yield* send(makeWebhookRequest(url))
        assert.deepStrictEqual([status, `http://${excerpt}/`], [200, url])
      }
      for (const url of [`http://user:secret@localhost:${port}/`, `http://localhost:${port}/#x`, "http://0x7f.1/"]) {
        yield* Effect.flip(check(url))
      }
      const few = yield* makeTransport({ allowPrivate: true, ports: [443], lookup })
      assert.match((yield* Effect.flip(few.check(makeLocalUrl(port)))).constraint, /must use port 443/)
    })
  )

  it("a webhook URL is parsed into the host, port and target that requests use", () => {
    const read = (url: string) =>
      Result.getOrThrow(ReceiverUrl.parseReceiverUrl(url, { allowPrivate: false, ports: [443, 8443] }))
    assert.deepStrictEqual(read("https://Bücher.example:8443/a b?c".replace(" ", "%20")), {
      secure: true,
      host: "xn--bcher-kva.example",
      isAddress: false,
      port: 8443,
      authority: "xn--bcher-kva.example:8443",
      target: "/a%20b?c"
    })
    assert.deepInclude(read("https://[2606:4700:4700::1111]"), {
      host: "2606:4700:4700::1111",
      isAddress: true,
      port: 443,
      target: "/"
    })
  })
})
