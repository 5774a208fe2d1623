/** Addresses of our own in answers: without the origin, so that they hold under every name the service is reached by. */

/** The path under which a proxy may have put `{api_root}`: `""` or `/some/prefix`. */
export const pathOf = (apiRoot: string): string => apiRoot.replace(/^[a-z]+:\/\/[^/]*/i, "")
