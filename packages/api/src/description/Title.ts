/** Defines the name and the version of the API contract. */

export const apiTitle = "Partner Commentary API"

/** The version of the API contract. The path contains the major version, and additions increase the minor version. */
export const apiVersion = "1.0.0"
