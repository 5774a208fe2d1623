/** Which host names reach this machine alone. */

export const isLoopback = (host: string): boolean => {
  const name = host
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/^::ffff:(?=127\.)/, "")
  return name === "localhost" || name.endsWith(".localhost") || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name)
}

/** Every address of the machine: one can listen there, but nobody can be sent there. */
export const isWildcard = (host: string): boolean => host === "0.0.0.0" || host === "::" || host === "[::]"

/** `http://host:port`, with an IPv6 address in brackets; for a wildcard, the address that this machine itself can use. */
export const addressOf = (host: string, port: number): string => {
  const name = isWildcard(host) ? "localhost" : host.includes(":") && !host.startsWith("[") ? `[${host}]` : host
  return `http://${name}:${port}`
}
