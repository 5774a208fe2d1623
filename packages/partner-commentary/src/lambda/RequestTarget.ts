/** Restores the request target that the client sent from the gateway's decoded parts. */

/**
 * Matches characters that a path may not contain. They appear in the path because the gateway decodes it. The percent
 * sign does not match, so that existing escapes stay as they are.
 */
const isBare = /[^\w\-.~!$&'()*+,;=:@/%[\]|\\^`{}"<>]/gu

export const encodedPath = (path: string): string => {
  const rooted = path.startsWith("/") ? path : `/${path}`
  return rooted.replace(isBare, (character) => encodeURIComponent(character.isWellFormed() ? character : "\uFFFD"))
}

/** Removes `/prod` from `/prod/partner/v1`. Other paths stay unchanged. */
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
