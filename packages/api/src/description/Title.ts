/** The name and the version of the contract. */

export const title = "Partner Commentary API"

/** The version of the contract. The major version is in the path, and the minor version increases with additions. */
export const version = "1.0.0"
