/** Detects host names that only this machine can reach. */

export const isLoopbackHost = (host: string): boolean => {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/^::ffff:(?=127\.)/, "")
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name)
}

/**
 * Returns whether a host is a wildcard address. A server can listen on a wildcard address, but a link must contain
 * another host.
 */
export const isWildcardHost = (host: string): boolean => host === "0.0.0.0" || host === "::" || host === "[::]"

/**
 * Formats an address as `http://host:port`. An IPv6 address is written in brackets. A wildcard address becomes
 * `localhost`.
 */
export const formatHttpAddress = (host: string, port: number): string => {
  const name = isWildcardHost(host) ? "localhost" : host.includes(":") && !host.startsWith("[") ? `[${host}]` : host
  return `http://${name}:${port}`
}
