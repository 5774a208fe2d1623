/** Restores the original request target from the decoded parts that the gateway passes. */

/**
 * Matches characters that a path must contain only in escaped form. The gateway decodes the path, so unescaped
 * characters can appear. The percent sign does not match, so that existing escapes stay unchanged.
 */
const isBare = /[^\w\-.~!$&'()*+,;=:@/%[\]|\\^`{}"<>]/gu

export const encodedPath = (path: string): string => {
  const rooted = path.startsWith("/") ? path : `/${path}`
  return rooted.replace(isBare, (character) => encodeURIComponent(character.isWellFormed() ? character : "\uFFFD"))
}

/**
 * Removes the prefix from a path. For example, `/prod/partner/v1` without `/prod` is `/partner/v1`. A path without the
 * prefix stays unchanged.
 */
export const pathWithoutPrefix = (prefix: string, path: string): string => {
  if (prefix === "" || prefix === "/") return path
  if (path === prefix) return "/"
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

type Values = Readonly<Record<string, ReadonlyArray<string>>>

/** Builds the query from names and values that the gateway did not decode. */
export const queryAsSent = (values: Values): string => query(values, (text) => text)

/** Builds the query from names and values that the gateway decoded. */
export const queryDecoded = (values: Values): string => query(values, (text) => encodeURIComponent(text.toWellFormed()))

const query = (values: Values, write: (text: string) => string): string =>
  Object.entries(values)
    .flatMap(([name, all]) => all.map((value) => `${write(name)}=${write(value)}`))
    .join("&")
