/**
 * The version of this package, which the client sends to the service. A test compares the version with the manifest.
 */
export const version = "0.1.0"
