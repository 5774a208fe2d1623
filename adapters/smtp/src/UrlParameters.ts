/**
 * Decides which parameters the mail server's URL may contain. nodemailer ignores a misspelt parameter, and treats each
 * unknown text as true. A misspelt `requireTLS` would therefore send mails without TLS.
 */
import { isIP } from "node:net"

interface Rule {
  readonly expected: string
  readonly accepts: (value: string) => boolean
}

const oneOf = (...values: ReadonlyArray<string>): Rule => ({
  expected: values.length < 3 ? values.join(" or ") : `one of ${values.join(", ")}`,
  accepts: (value) => values.includes(value)
})

const boolean = oneOf("true", "false")
const tlsVersion = oneOf("TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3")

/** The limit of 9 digits keeps milliseconds below the limit of Node's timers. */
const count: Rule = { expected: "a whole number from 1 to 999999999", accepts: (value) => /^[1-9]\d{0,8}$/.test(value) }
const countOrZero: Rule = {
  expected: "a whole number from 0 to 999999999",
  accepts: (value) => value === "0" || count.accepts(value)
}

/** nodemailer converts each value that looks like a number. Its options of type string accept no number. */
const text = (expected: string, pattern: RegExp): Rule => ({
  expected,
  accepts: (value) => pattern.test(value) && Number.isNaN(Number(value))
})

const hostName = text("a host name", /^[\w.-]{1,253}$/)

/**
 * The parameters that nodemailer and the service follow. The service itself sets `pool`, the number of connections and
 * the timeouts of a connection, and never logs an SMTP session.
 */
const rules: Readonly<Record<string, Rule>> = {
  requireTLS: boolean,
  ignoreTLS: boolean,
  opportunisticTLS: boolean,
  "tls.rejectUnauthorized": boolean,
  "tls.servername": hostName,
  "tls.minVersion": tlsVersion,
  "tls.maxVersion": tlsVersion,
  "tls.ciphers": text("a list of OpenSSL ciphers", /^[\w:+!@=.-]+$/),
  "tls.ca": text("a certificate in PEM format", /-----BEGIN CERTIFICATE-----/),
  servername: hostName,
  name: text("a host name or an address in brackets", /^[\w.:[\]-]{1,255}$/),
  localAddress: { expected: "an IP address", accepts: (value) => isIP(value) > 0 },
  authMethod: oneOf("PLAIN", "LOGIN", "CRAM-MD5"),
  forceAuth: boolean,
  maxMessages: count,
  maxRequeues: countOrZero,
  rateLimit: count,
  rateDelta: count,
  idleTimeout: countOrZero,
  dnsTimeout: count,
  socketCloseTimeout: countOrZero,
  maxResponseSize: count,
  pool: oneOf("true")
}

const known = Object.keys(rules).join(", ")

/**
 * Returns why the parameters are refused, or undefined. The reason contains no values. The reason also contains no name
 * that may be part of a password.
 */
export const findInvalidParameterReason = (query: string): string | undefined => {
  const seen = new Set<string>()
  for (const [name, value] of new URLSearchParams(query)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined
    if (rule === undefined) return unknown(name, query)
    if (!rule.accepts(value)) return `must have ${name} as ${rule.expected}.`
    if (seen.has(name)) return `must have ${name} once.`
    seen.add(name)
  }
  return undefined
}

const unknown = (name: string, query: string): string => {
  // If a password contains `?` and is not percent-encoded, the rest of the password and the host look like parameters.
  const isName = /^[\w.-]{1,40}$/.test(name) && !query.includes("@")
  const reason = isName
    ? `must leave out the unknown parameter ${name}`
    : "must have known parameters alone: percent-encode ? and & in user, password and values"
  return `${reason}; the known parameters are ${known}.`
}
