/**
 * The version of this package, which the client sends to the service. A test compares the version with the version in
 * `package.json`.
 */
export const clientVersion = "0.1.0"
