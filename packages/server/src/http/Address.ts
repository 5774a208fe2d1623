/**
 * Builds the service's own addresses for responses. The addresses have no origin, so that they work under every host
 * name.
 */

/** The path of `{api_root}` behind a proxy: `""` or `/some/prefix`. */
export const pathOfService = (apiRoot: string): string => apiRoot.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/\/$/, "")

/** Returns the path and query below the prefix; undefined when the URL is elsewhere. */
export const pathBelow = (prefix: string, url: string): string | undefined => {
  const rest = url.slice(prefix.length)
  if (!url.startsWith(prefix) || (rest !== "" && !/^[/?]/.test(rest))) return undefined
  return rest.startsWith("/") ? rest : `/${rest}`
}
