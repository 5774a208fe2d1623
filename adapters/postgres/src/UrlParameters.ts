/** The parameters that an address may have: libpq's. What of them is followed is `PostgresUrl`'s; here is what is passed over, and what must not be. */

const followed = [
  ...["host", "port", "user", "password", "dbname", "options", "connect_timeout"],
  ...["ssl", "sslmode", "sslrootcert", "sslcert", "sslkey"]
]

/** Whoever leaves these to us is neither less safe nor elsewhere. */
const passedOver = [
  ...["application_name", "fallback_application_name", "client_encoding"],
  ...["keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout"],
  ...["sslcompression", "sslsni", "sslcertmode", "sslnegotiation", "sslkeylogfile", "ssl_max_protocol_version"],
  ...["krbsrvname", "gsslib", "gssdelegation", "load_balance_hosts", "min_protocol_version", "max_protocol_version"]
]

/** Good where they ask for no more than is so anyway. */
const passedOverAs: Readonly<Record<string, ReadonlyArray<string>>> = {
  channel_binding: ["disable", "prefer"],
  gssencmode: ["disable", "prefer"],
  ssl_min_protocol_version: ["TLSv1", "TLSv1.1", "TLSv1.2"],
  target_session_attrs: ["any"]
}

/** To leave these out would be another server, another way in, or less than was asked for. */
const notFollowed = [
  ...["hostaddr", "passfile", "service", "servicefile", "replication", "require_auth", "requirepeer"],
  ...["sslpassword", "sslcrl", "sslcrldir", "scram_client_key", "scram_server_key"],
  ...["oauth_issuer", "oauth_client_id", "oauth_client_secret", "oauth_scope"]
]

const known = [...followed, ...passedOver, ...Object.keys(passedOverAs), ...notFollowed]

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, "")

/** Why an address with these is none; undefined where nothing is wrong. Holds no value, and no name that could be a part of a password. */
export const refusal = (parameters: URLSearchParams): string | undefined => {
  const seen = new Set<string>()
  for (const [name, value] of parameters) {
    if (!known.includes(name)) return unknown(name, seen)
    if (notFollowed.includes(name)) return `must leave out ${name}, which is not followed here`
    const harmless = passedOverAs[name]
    if (harmless !== undefined && !harmless.includes(value)) {
      return `must leave out ${name}, which is not followed here, or have it as ${harmless.join(" or ")}`
    }
    // By another name the same thing.
    const meant = name === "ssl" ? "sslmode" : name
    if (seen.has(meant)) return `must have ${meant} once`
    if (name === "ssl" && value !== "true") return "must have ssl as true, or an sslmode instead"
    seen.add(meant)
  }
  return undefined
}

const unknown = (name: string, before: ReadonlySet<string>) => {
  // A password that was not encoded ends at its first `&`.
  if (before.has("password") || !/^[A-Za-z_-]{1,40}$/.test(name)) {
    return "must have parameters of libpq alone, which one of them is not: percent-encode & and ? in values"
  }
  const meant = known.find((one) => plain(one) === plain(name))
  return `must have parameters of libpq alone, which ${name} is not${meant === undefined ? "" : `: ${meant} is`}`
}
