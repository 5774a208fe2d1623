/**
 * Decides which libpq parameters of a database URL are ignored and which are refused. `PostgresUrl` handles the
 * supported parameters.
 */

const supported = [
  ...["host", "port", "user", "password", "dbname", "options", "connect_timeout"],
  ...["ssl", "sslmode", "sslrootcert", "sslcert", "sslkey"]
]

/**
 * Parameters that the service can safely ignore, because the parameters affect neither the choice of the server nor
 * security.
 */
const ignored = [
  ...["application_name", "fallback_application_name", "client_encoding"],
  ...["keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout"],
  ...["sslcompression", "sslsni", "sslcertmode", "sslnegotiation", "sslkeylogfile", "ssl_max_protocol_version"],
  ...["krbsrvname", "gsslib", "gssdelegation", "load_balance_hosts", "min_protocol_version", "max_protocol_version"]
]

/**
 * Parameters that the driver ignores, each with the values that match the driver's behavior. The service refuses values
 * that do not match the driver's behavior.
 */
const ignoredWith: Readonly<Record<string, ReadonlyArray<string>>> = {
  channel_binding: ["disable", "prefer"],
  gssencmode: ["disable", "prefer"],
  ssl_min_protocol_version: ["TLSv1", "TLSv1.1", "TLSv1.2"],
  target_session_attrs: ["any"]
}

/**
 * Parameters that the service refuses, because a connection without them might reach another server, authenticate
 * differently or be less secure than the operator expects.
 */
const unsupported = [
  ...["hostaddr", "passfile", "service", "servicefile", "replication", "require_auth", "requirepeer"],
  ...["sslpassword", "sslcrl", "sslcrldir", "scram_client_key", "scram_server_key"],
  ...["oauth_issuer", "oauth_client_id", "oauth_client_secret", "oauth_scope"]
]

const known = [...supported, ...ignored, ...Object.keys(ignoredWith), ...unsupported]

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, "")

/**
 * Returns why the parameters are refused, or undefined. The reason contains no parameter values, and no parameter name
 * that may be part of a password.
 */
export const findInvalidParameterReason = (parameters: URLSearchParams): string | undefined => {
  const seen = new Set<string>()
  for (const [name, value] of parameters) {
    if (!known.includes(name)) return unknown(name, seen)
    if (unsupported.includes(name)) return `must leave out ${name}, which is not followed here`
    const harmless = ignoredWith[name]
    if (harmless !== undefined && !harmless.includes(value)) {
      return `must leave out ${name}, which is not followed here, or have it as ${harmless.join(" or ")}`
    }
    // The parameter `ssl` is an alias of `sslmode`.
    const meant = name === "ssl" ? "sslmode" : name
    if (seen.has(meant)) return `must have ${meant} once`
    if (name === "ssl" && value !== "true") return "must have ssl as true, or an sslmode instead"
    seen.add(meant)
  }
  return undefined
}

const unknown = (name: string, before: ReadonlySet<string>) => {
  // If a password contains `&` and is not percent-encoded, the rest of the password looks like a parameter name.
  if (before.has("password") || !/^[A-Za-z_-]{1,40}$/.test(name)) {
    return "must have parameters of libpq alone, which one of them is not: percent-encode & and ? in values"
  }
  const meant = known.find((one) => plain(one) === plain(name))
  return `must have parameters of libpq alone, which ${name} is not${meant === undefined ? "" : `: ${meant} is`}`
}
