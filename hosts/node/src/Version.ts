/**
 * Returns the product's version from the package's `package.json`, which is next to both the sources and the bundle.
 */
import { createRequire } from "node:module"

export const version: string = createRequire(import.meta.url)("../package.json").version
