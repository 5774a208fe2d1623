/** The version of this package, as the service sees it. A test compares it with the manifest. */
export const version = "0.1.0"
