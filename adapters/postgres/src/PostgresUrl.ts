/**
 * Parses URLs such as `postgres://user:password@host:port/database?sslmode=verify-full`. TLS parameters have the same
 * meaning as in libpq.
 */
import { readFileSync } from "node:fs"
import type { ConnectionOptions } from "node:tls"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as UrlParameters from "./UrlParameters.ts"

/** The error for an invalid database URL. The error never contains the URL, because the URL may contain a password. */
export interface PostgresUrlRefused {
  /** The rest of a sentence that begins with the name of the environment variable, such as `must have …`. */
  readonly reason: string
}

export interface ParsedPostgresUrl {
  /** The URL that the driver receives. */
  readonly url: Redacted.Redacted
  /**
   * The TLS options for the driver. If `ssl` is undefined, `url` contains `sslmode=prefer`, and the driver uses TLS if
   * the server offers TLS.
   */
  readonly ssl: boolean | ConnectionOptions | undefined
  /** The host, port and database as text for messages, without user and password. */
  readonly told: string
}

const modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const

export const parsePostgresUrl = (address: Redacted.Redacted): Result.Result<ParsedPostgresUrl, PostgresUrlRefused> => {
  const text = Redacted.value(address)
  const url = URL.parse(text)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    return refuse("must be postgres://USER:PASSWORD@HOST:PORT/DATABASE")
  }
  const wrong = UrlParameters.findInvalidParameterReason(url.searchParams)
  if (wrong !== undefined) return refuse(wrong)
  const parameter = (name: string) => url.searchParams.get(name) ?? undefined
  // A query parameter overrides the same part of the URL.
  const host = parameter("host") || decode(url.hostname) || "localhost"
  const isNear = host.startsWith("/") || /^(localhost|127\..*|\[::1\])$/.test(host)
  const mode = parameter("sslmode") ?? (parameter("ssl") === "true" ? "require" : isNear ? "disable" : "prefer")
  if (!modes.some((known) => known === mode)) return refuse(`must have an sslmode of ${modes.join(", ")}`)
  const timeout = parameter("connect_timeout")
  if (timeout !== undefined && !/^\d{1,6}$/.test(timeout)) return refuse("must have a connect_timeout in whole seconds")
  const port = parameter("port") || url.port || "5432"
  const user = parameter("user") || decode(url.username)
  const database = parameter("dbname") || decode(url.pathname.slice(1)) || user || "postgres"
  const told = `${host} port ${port}, database ${database}`
  return Result.map(parseTlsOptions(mode, parameter), (ssl) => ({
    ssl,
    told,
    url: ssl === undefined ? addPreferTls(url) : address
  }))
}

/** Adds `sslmode=prefer` to the URL, because the driver tries TLS only if the URL requests it. */
const addPreferTls = (url: URL) => {
  const own = new URL(url)
  own.searchParams.set("sslmode", "prefer")
  return Redacted.make(own.href)
}

/**
 * Returns the TLS options for an sslmode. The mode `require` does not verify the server, unless the URL contains a
 * certificate authority.
 */
const parseTlsOptions = (
  mode: string,
  parameter: (name: string) => string | undefined
): Result.Result<ParsedPostgresUrl["ssl"], PostgresUrlRefused> => {
  if (mode === "disable") return Result.succeed(false)
  if (mode === "allow" || mode === "prefer") return Result.succeed(undefined)
  const files = { ca: parameter("sslrootcert"), cert: parameter("sslcert"), key: parameter("sslkey") }
  const read: Record<string, string> = {}
  for (const [name, path] of Object.entries(files)) {
    if (path === undefined || path === "system") continue
    const content = Result.try(() => readFileSync(path, "utf8"))
    if (Result.isFailure(content))
      return refuse(`must name readable files of certificates and keys, which ${path} is not`)
    read[name] = content.success
  }
  if (mode === "verify-full") return Result.succeed(read)
  return Result.succeed(
    mode === "verify-ca" || read["ca"] !== undefined
      ? { ...read, checkServerIdentity: () => undefined }
      : { ...read, rejectUnauthorized: false }
  )
}

const decode = (text: string): string =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(text)),
    () => text
  )

const refuse = (reason: string): Result.Result<never, PostgresUrlRefused> => Result.fail({ reason })
