/** Tests which parameters the mail server's URL accepts, and that the error of another parameter names it. */
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { parseMailServer } from "../src/MailSetting.ts"

const parse = (query: string) => parseMailServer(Redacted.make(`smtp://desk:hunter2@mail.example:587?${query}`))

const refusalOf = (query: string) => Result.getOrThrow(Result.flip(parse(query))).reason

describe("parameters of the mail server's URL", () => {
  it.each([
    ["requireTLS=true", { requireTLS: true }],
    ["requireTLS=false&ignoreTLS=true", { requireTLS: false, ignoreTLS: true }],
    ["opportunisticTLS=true&forceAuth=true&authMethod=LOGIN", { opportunisticTLS: true, authMethod: "LOGIN" }],
    ["tls.rejectUnauthorized=false", { tls: { rejectUnauthorized: false } }],
    ["tls.servername=mx.example&tls.minVersion=TLSv1.3", { tls: { servername: "mx.example", minVersion: "TLSv1.3" } }],
    ["tls.ciphers=DEFAULT%40SECLEVEL%3D0", { tls: { ciphers: "DEFAULT@SECLEVEL=0" } }],
    ["pool=true&maxMessages=100000&rateLimit=5&rateDelta=1000", { pool: true, maxMessages: 100000, rateLimit: 5 }],
    ["maxRequeues=0&idleTimeout=0&dnsTimeout=5000", { maxRequeues: 0, idleTimeout: 0, dnsTimeout: 5000 }],
    ["name=app.example&localAddress=::1&servername=mx.example", { name: "app.example", localAddress: "::1" }]
  ])("%s is passed to nodemailer", (query, options) => {
    expect(Result.getOrThrow(parse(query))).toMatchObject({ host: "mail.example", port: 587, ...options })
  })

  it.each([
    ...[
      "requiretls",
      "require_tls",
      "RequireTLS",
      "foo",
      "secure",
      "service",
      "proxy",
      "debug",
      "tls.rejectunauthorized"
    ],
    ...["maxConnections", "connectionTimeout", "socketTimeout"]
  ])("the unknown parameter %s is refused with an error that names it and the known parameters", (name) => {
    const reason = refusalOf(`maxMessages=5&${name}=true`)
    expect(reason).toMatch(
      new RegExp(`^must leave out the unknown parameter ${name.replace(".", "\\.")}; .*requireTLS`)
    )
    expect(reason).toContain("tls.rejectUnauthorized")
  })

  it.each([
    ["requireTLS", "yes", "true or false"],
    ["requireTLS", "TRUE", "true or false"],
    ["requireTLS", "1", "true or false"],
    ["requireTLS", "", "true or false"],
    ["tls.rejectUnauthorized", "0", "true or false"],
    ["tls.minVersion", "1.3", "TLSv1.2"],
    ["pool", "false", "true"],
    ["maxMessages", "many", "a whole number"],
    ["maxMessages", "0", "a whole number"],
    ["idleTimeout", "-1", "a whole number"],
    ["authMethod", "NTLM", "PLAIN"],
    ["localAddress", "eth0", "an IP address"],
    ["servername", "", "a host name"]
  ])("%s=%s is refused with an error that names the parameter and what its value must be", (name, value, rule) => {
    expect(refusalOf(`${name}=${value}`)).toMatch(new RegExp(`^must have ${name.replace(".", "\\.")} as .*${rule}`))
  })

  it("a parameter that occurs twice is refused", () => {
    expect(refusalOf("requireTLS=true&requireTLS=false")).toBe("must have requireTLS once.")
  })

  it("an error about parameters contains no part of a password whose special characters are not percent-encoded", () => {
    for (const url of ["smtp://desk:25?hunter2@mail.example", "smtp://desk:25?x=1&hunter2=y@mail.example"]) {
      const refused = Result.getOrThrow(Result.flip(parseMailServer(Redacted.make(url))))
      expect(refused.message).toContain("percent-encode")
      expect(refused.message).not.toMatch(/hunter2|parameter x/)
    }
  })
})
