import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import {
  type Certificate,
  issueCertificate,
  makeCertificateAuthority,
  makeSelfSignedCertificate
} from "@partner-commentary/test/Certificates"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { listenHttp, listenHttps, listenTcp, listenWithAnswer, makeTransport, makeWebhookRequest } from "./Receivers.ts"

const trusted = makeCertificateAuthority("Known Authority")
const host = "receiver.example.com"

const usual = getCACertificates()
beforeAll(() => setDefaultCACertificates([...usual, trusted.cert]))
afterAll(() => setDefaultCACertificates(usual))

const serving = (certificate: Certificate) =>
  listenHttps({ ...certificate, ALPNProtocols: ["http/1.1"] }, (call, answer) => {
    const { servername } = call.socket as unknown as { readonly servername: string | false }
    call.resume().on("end", () => answer.end(`${servername} ${call.headers.host}`))
  })

const toward = makeTransport({ allowPrivate: true, lookup: () => Effect.succeed(["127.0.0.1"]) })

describe("Webhooks over TLS", () => {
  it.live("TLS verifies the host name of the URL, although the socket connects to a resolved address", () =>
    Effect.gen(function* () {
      const { port, connections } = yield* serving(issueCertificate(trusted, { host }))
      const { send } = yield* toward
      for (let sent = 0; sent < 5; sent++) {
        const answer = yield* send(makeWebhookRequest(`https://${host}:${port}/`))
        assert.deepInclude(answer, { status: 200, excerpt: `${host} ${host}:${port}` })
        yield* Effect.sleep("10 millis")
      }
      assert.strictEqual(connections(), 1)
    })
  )

  it.live("a TLS connection is reused only for the same host name", () =>
    Effect.gen(function* () {
      const { port } = yield* serving(issueCertificate(trusted, { host }))
      const { send } = yield* toward
      yield* send(makeWebhookRequest(`https://${host}:${port}/`))
      yield* Effect.sleep("20 millis")
      assert.strictEqual(
        (yield* Effect.flip(send(makeWebhookRequest(`https://other.example.com:${port}/`)))).failure,
        "tls"
      )
    })
  )

  for (const [what, certificate, sentence] of [
    ["for another name", issueCertificate(trusted, { host: "other.example.com" }), /for another host name/],
    ["that has expired", issueCertificate(trusted, { host, from: -30, until: -1 }), /has expired/],
    ["that is not valid yet", issueCertificate(trusted, { host, from: 1, until: 30 }), /not valid yet/],
    ["of its own making", makeSelfSignedCertificate(host), /not from an authority/],
    [
      "of an authority that nobody knows",
      issueCertificate(makeCertificateAuthority("Unknown Authority"), { host }),
      /not from an authority/
    ],
    [
      "of a false authority",
      issueCertificate(makeCertificateAuthority("Known Authority"), { host }),
      /not from an authority/
    ]
  ] as const) {
    it.live(`a certificate ${what} fails the attempt before the request is sent`, () =>
      Effect.gen(function* () {
        let requests = 0
        const { port } = yield* listenHttps({ ...certificate }, (_, answer) => {
          requests += 1
          answer.end()
        })
        const { send } = yield* toward
        const { failure, reason } = yield* Effect.flip(send(makeWebhookRequest(`https://${host}:${port}/`)))
        assert.strictEqual(failure, "tls", reason)
        assert.match(reason, sentence)
        assert.notMatch(reason, /\d/)
        assert.strictEqual(requests, 0)
      })
    )
  }

  it.live("certificates are verified even if the environment disables the verification", () =>
    Effect.gen(function* () {
      const { port } = yield* serving(makeSelfSignedCertificate(host))
      const { send } = yield* toward
      const variable = "NODE_TLS_REJECT_UNAUTHORIZED"
      process.env[variable] = "0"
      // Node would otherwise print a warning about the environment variable to the terminal.
      const warning = vi.spyOn(process, "emitWarning").mockReturnValue()
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          delete process.env[variable]
          warning.mockRestore()
        })
      )
      assert.strictEqual((yield* Effect.flip(send(makeWebhookRequest(`https://${host}:${port}/`)))).failure, "tls")
    })
  )

  it.live(
    "a receiver without TLS, or with an incomplete handshake, is distinguished from an unreachable receiver",
    () =>
      Effect.gen(function* () {
        const { send } = yield* toward
        const plain = yield* listenHttp((_, answer) => answer.end())
        const babble = yield* listenWithAnswer("220 welcome\r\n")
        const silent = yield* listenTcp(() => undefined)
        const short = yield* listenTcp((socket) => socket.once("data", () => socket.destroy()))
        const failureOf = (port: number, patience?: Duration.Input) =>
          Effect.map(
            Effect.flip(send(makeWebhookRequest(`https://${host}:${port}/`, patience))),
            ({ failure }) => failure
          )
        assert.strictEqual(yield* failureOf(plain.port), "tls")
        assert.strictEqual(yield* failureOf(babble.port), "tls")
        assert.strictEqual(yield* failureOf(silent.port, "500 millis"), "timeout")
        assert.strictEqual(yield* failureOf(short.port), "reset")
      })
  )
})
