/** The request target as the client sent it, put together again from what a gateway took apart. */

/** What a path may hold as it is; a gateway that decoded it left the rest bare. A percent sign stays one. */
const isBare = /[^\w\-.~!$&'()*+,;=:@/%[\]|\\^`{}"<>]/gu

export const encodedPath = (path: string): string => {
  const rooted = path.startsWith("/") ? path : `/${path}`
  return rooted.replace(isBare, (character) => encodeURIComponent(character.isWellFormed() ? character : "\uFFFD"))
}

/** `/prod` off `/prod/partner/v1`; a path that does not begin with it stays. */
export const without = (prefix: string, path: string): string => {
  if (prefix === "" || prefix === "/") return path
  if (path === prefix) return "/"
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path
}

type Values = Readonly<Record<string, ReadonlyArray<string>>>

/** Of names and values that the gateway left as they were sent. */
export const queryAsSent = (values: Values): string => query(values, (text) => text)

/** Of names and values that the gateway decoded. */
export const queryDecoded = (values: Values): string => query(values, (text) => encodeURIComponent(text.toWellFormed()))

const query = (values: Values, write: (text: string) => string): string =>
  Object.entries(values)
    .flatMap(([name, all]) => all.map((value) => `${write(name)}=${write(value)}`))
    .join("&")
