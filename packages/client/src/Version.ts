/** The version of this package, sent to the service. A test compares it with the manifest. */
export const version = "0.1.0"
