/** Builds the service's base URL and the paths of requests. */
import { PartnerCommentaryError } from "./Errors.ts"

const prefix = "/partner/v1"

/**
 * Returns the base URL of all requests. Appends the prefix `/partner/v1` to the given URL unless the URL already ends
 * with this prefix.
 */
export const buildBaseUrl = (given: string): string => {
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new PartnerCommentaryError("baseUrl must be the service's address, such as https://api.example.com.")
  }
  if (url.username + url.password + url.search + url.hash !== "") {
    throw new PartnerCommentaryError("baseUrl must have no user, password, query or fragment.")
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, "")
  return url.origin + (path.endsWith(prefix) ? path : path + prefix)
}

const segment = (value: string): string => {
  // Reject the ids `.` and `..`, because URL parsers remove such path segments and the request would reach another
  // operation.
  if (typeof value !== "string" || value === "" || value === "." || value === "..") {
    throw new PartnerCommentaryError(`${JSON.stringify(value) ?? "undefined"} is no id.`)
  }
  return encodeURIComponent(value)
}

/** Builds the path of a request from a template, and percent-encodes the ids. */
export const buildRequestPath = (texts: TemplateStringsArray, ...ids: ReadonlyArray<string>): string =>
  texts.reduce((whole, text, at) => whole + segment(ids[at - 1] as string) + text)

type Value = string | number | Date | ReadonlyArray<string>

const written = (name: string, value: Value): string => {
  if (!(value instanceof Date)) return String(value)
  if (Number.isNaN(value.getTime())) throw new PartnerCommentaryError(`${name} is an invalid Date.`)
  return value.toISOString()
}

export const formatQueryString = (values: Readonly<Record<string, Value | undefined>>): string => {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) given.set(name, written(name, value))
  return `${given}` === "" ? "" : `?${given}`
}
