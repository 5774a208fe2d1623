/** Defines the name and the version of the API contract. */

export const apiTitle = "Partner Commentary API"

/**
 * The version of the API contract. The URL path contains the major version of the API, and additions to the API
 * increase the minor version.
 */
export const apiVersion = "1.0.0"
