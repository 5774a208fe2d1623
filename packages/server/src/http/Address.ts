/**
 * Builds the service's own URLs for responses. The URLs have no scheme and host, so that they work under every host
 * name.
 */

/**
 * Returns the path of `{api_root}`, which is empty or a prefix such as `/some/prefix`. A proxy can serve the service
 * below a path prefix.
 */
export const parseServicePathPrefix = (apiRoot: string): string =>
  apiRoot.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/\/$/, "")

/** Returns the path and query below the prefix; undefined when the URL does not start with the prefix. */
export const removePathPrefix = (prefix: string, url: string): string | undefined => {
  const rest = url.slice(prefix.length)
  if (!url.startsWith(prefix) || (rest !== "" && !/^[/?]/.test(rest))) return undefined
  return rest.startsWith("/") ? rest : `/${rest}`
}
