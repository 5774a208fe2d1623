import { assert, describe, it } from "@effect/vitest"
import { layer } from "@partner-commentary/smtp/SmtpMailer"
import * as MailerSuite from "@partner-commentary/testkit/MailerSuite"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { makeMailer, makeMessage, senderAddress, toReceivedMail } from "./Fixtures.ts"
import { makeSmtpReplyError, type ReceivedMail, startMailServer, startTcpServer } from "./MailServer.ts"

const to = (url: string, timeout: "500 millis" | "5 seconds" = "5 seconds") =>
  makeMailer(layer({ url: Redacted.make(url), from: senderAddress, timeout }))

const local = (port: number, timeout?: "500 millis") => to(`smtp://127.0.0.1:${port}`, timeout)

const until = (condition: () => boolean) =>
  Effect.sleep("10 millis").pipe(Effect.repeat({ until: condition }), Effect.timeout("5 seconds"))

/** Starts an SMTP server for one test, and the mailer that connects to the server. */
class MailServer extends Context.Service<
  MailServer,
  { readonly port: number; readonly received: ReadonlyArray<ReceivedMail> }
>()("@partner-commentary/smtp/test/MailServer") {}

const delivering = Layer.unwrap(
  Effect.map(MailServer, ({ port }) => layer({ url: Redacted.make(`smtp://127.0.0.1:${port}`), from: senderAddress }))
).pipe(Layer.provideMerge(Layer.effect(MailServer, startMailServer())))

const delivered = Effect.map(MailServer, ({ received }) => received.map(({ email }) => toReceivedMail(email)))

MailerSuite.suite("SmtpMailer", delivering, delivered)

describe.concurrent("Delivered mail", () => {
  it.live("a delivered mail has the given sender, recipient, subject, text, HTML and Message-ID", () =>
    Effect.gen(function* () {
      const server = yield* startMailServer()
      const { send } = yield* local(server.port)
      yield* send(makeMessage())
      const { email, recipients, raw } = server.received[0]!
      assert.deepStrictEqual(recipients, ["ada@example.com"])
      assert.deepInclude(email.from, { name: "Partner Commentary", address: "notices@mail.example.com" })
      assert.deepInclude(email.to?.[0], { name: "Ada Lovelace", address: "ada@example.com" })
      assert.strictEqual(email.subject, "A topic for you")
      assert.strictEqual(email.text?.trim(), makeMessage().text)
      assert.strictEqual(email.html?.trim(), makeMessage().html)
      assert.strictEqual(email.messageId, "<topic-sent.0198c0de-0000-7000-8000-000000000001@mail.example.com>")
      assert.match(raw, /^Auto-Submitted: auto-generated\r$/m)
      assert.match(raw, /^Content-Type: multipart\/alternative/m)
    })
  )

  it.live("a delivered mail keeps names, subjects and texts in any script", () =>
    Effect.gen(function* () {
      const server = yield* startMailServer()
      const { send } = yield* local(server.port)
      const said = { subject: "Ein Thema für Zoë: 東京 🏀", text: "Grüße, 東京 🏀", html: "<p>Grüße, 東京 🏀</p>" }
      yield* send(makeMessage({ ...said, to: { name: 'Zoë 山田, "Z"', address: "zoe@bücher.example" } }))
      const { email, raw } = server.received[0]!
      assert.include(raw, "<zoe@xn--bcher-kva.example>")
      assert.strictEqual(email.to?.[0]?.name, 'Zoë 山田, "Z"')
      assert.deepStrictEqual({ subject: email.subject, text: email.text?.trim(), html: email.html?.trim() }, said)
    })
  )

  it.live("a delivered mail has the same Message-ID when the mail is sent again over the same connection", () =>
    Effect.gen(function* () {
      const server = yield* startMailServer()
      const { send } = yield* local(server.port)
      yield* send(makeMessage())
      yield* send(makeMessage())
      assert.strictEqual(server.received.length, 2)
      assert.strictEqual(server.received[0]?.email.messageId, server.received[1]?.email.messageId)
      assert.strictEqual(server.connections(), 1)
    })
  )

  it.live("a name, a subject or an address cannot add headers or recipients to a delivered mail", () =>
    Effect.gen(function* () {
      const server = yield* startMailServer()
      const { send } = yield* local(server.port)
      const evil = "x\r\nBcc: eve@example.com\r\nX-Evil: 1\r\n\r\nbody"
      yield* send(makeMessage({ subject: evil, to: { name: evil, address: "ada@example.com" } }))
      yield* send(makeMessage({ subject: `é${evil}`, to: { name: `é${evil}`, address: "ada@example.com" } }))
      for (const { email, recipients } of server.received) {
        assert.deepStrictEqual(recipients, ["ada@example.com"])
        assert.notIncludeMembers(
          email.headers.map(({ key }) => key),
          ["bcc", "x-evil"]
        )
        assert.notMatch(`${email.subject}${email.to?.[0]?.name}`, /[\r\n]/)
        assert.strictEqual(email.text?.trim(), makeMessage().text)
      }
      for (const address of [
        "ada@example.com\r\nRCPT TO:<eve@example.com>",
        "ada@example.com, eve@example.com",
        "<eve@example.com> ada@example.com",
        "eve@example.com@example.org",
        "ada",
        "ada@",
        "ada@exa mple.com",
        "ada@example..com",
        ""
      ]) {
        const refused = yield* Effect.flip(send(makeMessage({ to: { name: "Ada", address } })))
        assert.isTrue(refused.permanent, address)
      }
      const odd = yield* Effect.flip(send(makeMessage({ id: "a>\r\nX-Evil: 1" })))
      assert.isTrue(odd.permanent)
      assert.strictEqual(server.received.length, 2)
    })
  )
})

describe.concurrent("Permanent refusal of a mail", () => {
  it.live("a refusal is permanent when the server refuses the recipient, the sender or the mail with a 5xx reply", () =>
    Effect.gen(function* () {
      for (const options of [
        {
          onRcptTo: (_: unknown, __: unknown, done: (error: Error) => void) =>
            done(makeSmtpReplyError(550, "no such user"))
        },
        {
          onMailFrom: (_: unknown, __: unknown, done: (error: Error) => void) =>
            done(makeSmtpReplyError(550, "not from you"))
        },
        {
          onData: (stream: NodeJS.ReadableStream, _: unknown, done: (error: Error) => void) =>
            stream.resume().on("end", () => done(makeSmtpReplyError(554, "content refused")))
        }
      ]) {
        const server = yield* startMailServer(options)
        const { send } = yield* local(server.port)
        const refused = yield* Effect.flip(send(makeMessage()))
        assert.isTrue(refused.permanent, refused.reason)
        assert.match(refused.reason, /55\d .*(no such user|not from you|content refused)/)
      }
    })
  )
})

describe.concurrent("Reason of a refusal", () => {
  it.live("the reason does not contain the recipient's address, even if the server quotes the address", () =>
    Effect.gen(function* () {
      const server = yield* startMailServer({
        onRcptTo: ({ address }, _, done) =>
          done(makeSmtpReplyError(550, `5.1.1 <${address}>: ${address.toUpperCase()} is unknown here`))
      })
      const { send } = yield* local(server.port)
      for (const address of ["ada.lovelace+desk@example.com", "Zoë@bücher.example"]) {
        const { reason } = yield* Effect.flip(send(makeMessage({ to: { name: "Ada", address } })))
        assert.match(reason, /550 5\.1\.1 <\[recipient\]>: \[recipient\] is unknown here/)
      }
    })
  )
})

describe.concurrent("Temporary refusal of a mail", () => {
  it.live("a 4xx refusal is temporary, and a greylisted mail is accepted on the next attempt", () =>
    Effect.gen(function* () {
      let attempts = 0
      const server = yield* startMailServer({
        onRcptTo: (_, __, done) => done(attempts++ === 0 ? makeSmtpReplyError(451, "greylisted, come back") : null)
      })
      const { send } = yield* local(server.port)
      const refused = yield* Effect.flip(send(makeMessage()))
      assert.deepInclude(refused, { permanent: false })
      assert.match(refused.reason, /451 .*greylisted/)
      yield* send(makeMessage())
      assert.strictEqual(server.received.length, 1)
    })
  )

  it.live("a mail fails temporarily while the server is down, and is accepted when the server is up again", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { port } = yield* Scope.provide(startMailServer(), scope)
      const { send } = yield* local(port)
      yield* send(makeMessage())
      yield* Scope.close(scope, Exit.void)
      const refused = yield* Effect.flip(send(makeMessage()))
      assert.isFalse(refused.permanent, refused.reason)
      const again = yield* startMailServer({}, port)
      yield* send(makeMessage())
      assert.strictEqual(again.received.length, 1)
    })
  )

  it.live("every mail to a server that hangs or sends endless lines is refused temporarily within the timeout", () =>
    Effect.gen(function* () {
      const silent = yield* startTcpServer(() => undefined)
      const babbling = yield* startTcpServer((socket) => {
        socket.write("220 welcome\r\n")
        socket.once("data", () => {
          const timer = setInterval(() => socket.write("250-still here\r\n"), 20)
          socket.on("close", () => clearInterval(timer))
        })
      })
      const stuck = yield* startMailServer({ onRcptTo: () => undefined })
      for (const { port, open } of [silent, babbling, stuck]) {
        const { send } = yield* local(port, "500 millis")
        const [took, refused] = yield* Effect.timed(
          Effect.forEach([1, 2, 3, 4, 5, 6], () => Effect.flip(send(makeMessage())), { concurrency: "unbounded" })
        )
        assert.isBelow(Duration.toMillis(took), 2000)
        assert.isTrue(refused.every(({ permanent }) => !permanent))
        yield* until(() => open.size === 0)
      }
      const { send } = yield* local(stuck.port, "500 millis")
      assert.strictEqual(
        (yield* Effect.flip(send(makeMessage()))).reason,
        "No answer from the mail server within 500ms."
      )
    })
  )

  it.live("the refusal of wrong credentials is temporary, and the reason does not contain the credentials", () =>
    Effect.gen(function* () {
      const server = yield* startMailServer({
        authOptional: false,
        onAuth: ({ username, password }, _, done) =>
          username === "par:tner" && password === "s3cr@t/ä"
            ? done(null, { user: username })
            : done(
                makeSmtpReplyError(
                  535,
                  `bad login ${username} ${password} ${Buffer.from(password ?? "").toString("base64")}`
                )
              )
      })
      const good = yield* to(`smtp://par%3Atner:s3cr%40t%2F%C3%A4@127.0.0.1:${server.port}`)
      yield* good.send(makeMessage())
      assert.strictEqual(server.received.length, 1)
      const bad = yield* to(`smtp://par%3Atner:wr0ng%40pass@127.0.0.1:${server.port}`)
      const refused = yield* Effect.flip(bad.send(makeMessage()))
      assert.isFalse(refused.permanent)
      assert.match(refused.reason, /535 .*bad login/)
      assert.notMatch(refused.reason, /wr0ng|par:tner|d3IwbmdAcGFzcw/)
      const none = yield* local(server.port)
      const nameless = yield* Effect.flip(none.send(makeMessage()))
      assert.isFalse(nameless.permanent, nameless.reason)
    })
  )

  it.live("the refusal of an untrusted certificate is temporary, and the URL can allow the certificate", () =>
    Effect.gen(function* () {
      const upgraded = yield* startMailServer({ hideSTARTTLS: false, allowInsecureAuth: false })
      const wrapped = yield* startMailServer({ secure: true })
      for (const [scheme, server] of [
        ["smtp", upgraded],
        ["smtps", wrapped]
      ] as const) {
        const strict = yield* to(`${scheme}://127.0.0.1:${server.port}`)
        const refused = yield* Effect.flip(strict.send(makeMessage()))
        assert.isFalse(refused.permanent)
        assert.match(refused.reason, /certificate/)
        assert.strictEqual(server.received.length, 0)
        const lax = yield* to(`${scheme}://127.0.0.1:${server.port}?tls.rejectUnauthorized=false`)
        yield* lax.send(makeMessage())
        assert.strictEqual(server.received.length, 1)
      }
    })
  )

  it.live("if the URL requires TLS and the server offers no TLS, each mail fails temporarily", () =>
    Effect.gen(function* () {
      const server = yield* startMailServer({ disabledCommands: ["STARTTLS"] })
      const { send } = yield* to(`smtp://127.0.0.1:${server.port}?requireTLS=true`)
      const refused = yield* Effect.flip(send(makeMessage()))
      assert.isFalse(refused.permanent)
      assert.strictEqual(server.received.length, 0)
    })
  )
})

describe.concurrent("Layer of the SMTP mailer", () => {
  it.live("the SMTP mailer closes its connections when the scope closes, and then sends nothing", () =>
    Effect.gen(function* () {
      const server = yield* startMailServer()
      const scope = yield* Scope.make()
      const { send } = yield* Scope.provide(local(server.port), scope)
      yield* send(makeMessage())
      assert.strictEqual(server.open.size, 1)
      yield* Scope.close(scope, Exit.void)
      yield* until(() => server.open.size === 0)
      assert.isFalse((yield* Effect.flip(send(makeMessage()))).permanent)
    })
  )

  it.effect("the SMTP mailer refuses a wrong URL with one sentence that does not contain the URL's password", () =>
    Effect.gen(function* () {
      for (const url of [
        "",
        "http://user:hunter2@host",
        "smtp:host",
        "smtp://",
        "smtp://user:hunter2@",
        "smtp://user:hunter2@host:99999",
        "smtp://user:hunter2@host:0",
        "smtp://user:hunter2#x@host:25",
        "smtp://user:25/hunter2@host",
        "smtp://user:hunter2@ho%20st"
      ]) {
        const refused = yield* Effect.flip(to(url))
        assert.strictEqual(refused.setting, "url", url)
        assert.match(refused.message, /^The mail setting "url" must [^\n]+\.$/)
        assert.notInclude(JSON.stringify(refused), "hunter2")
      }
    })
  )

  it.effect("the SMTP mailer refuses a sender that is not exactly one valid address", () =>
    Effect.gen(function* () {
      for (const from of ["", "Nobody", "a@b, c@d", "Group: a@b;", "a@b\r\nBcc: c@d", "<>"]) {
        const refused = yield* Effect.flip(makeMailer(layer({ url: Redacted.make("smtp://localhost"), from })))
        assert.strictEqual(refused.setting, "from", from)
      }
    })
  )
})
