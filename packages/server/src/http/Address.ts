/** Addresses of our own in answers: without the origin, so that they hold under every name the service is reached by. */

/** The path under which a proxy may have put `{api_root}`: `""` or `/some/prefix`. */
export const pathOf = (apiRoot: string): string => apiRoot.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/\/$/, "")

/** Path and query below such a path; nothing where they lie elsewhere. */
export const below = (prefix: string, url: string): string | undefined => {
  const rest = url.slice(prefix.length)
  if (!url.startsWith(prefix) || (rest !== "" && !/^[/?]/.test(rest))) return undefined
  return rest.startsWith("/") ? rest : `/${rest}`
}
