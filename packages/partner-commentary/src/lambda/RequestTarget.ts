/**
 * Restores the path and query that the client sent. The gateway passes the path and the query separately, and has
 * decoded some of their parts.
 */

/**
 * Matches the characters that must be percent-encoded in a path. The path in an event can contain unencoded characters,
 * because the gateway decodes the path. The pattern does not match the percent sign, so that existing percent-encoding
 * stays unchanged.
 */
const isBare = /[^\w\-.~!$&'()*+,;=:@/%[\]|\\^`{}"<>]/gu

export const encodePath = (path: string): string => {
  const rooted = path.startsWith("/") ? path : `/${path}`
  return rooted.replace(isBare, (character) => encodeURIComponent(character.isWellFormed() ? character : "\uFFFD"))
}

/**
 * Removes the prefix from a path. For example, the prefix `/prod` turns `/prod/partner/v1` into `/partner/v1`. A path
 * that does not start with the prefix is returned unchanged.
 */
export const removePathPrefix = (prefix: string, path: string): string => {
  if (prefix === "" || prefix === "/") return path
  if (path === prefix) return "/"
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

type Values = Readonly<Record<string, ReadonlyArray<string>>>

/** Builds the query from names and values that the gateway did not decode. */
export const joinEncodedQuery = (values: Values): string => query(values, (text) => text)

/** Builds the query from names and values that the gateway decoded. */
export const encodeAndJoinQuery = (values: Values): string =>
  query(values, (text) => encodeURIComponent(text.toWellFormed()))

const query = (values: Values, write: (text: string) => string): string =>
  Object.entries(values)
    .flatMap(([name, all]) => all.map((value) => `${write(name)}=${write(value)}`))
    .join("&")
