/**
 * Returns the version of the product from `package.json`, whose folder contains the folders of the sources and the
 * bundle.
 */
import { createRequire } from "node:module"

export const version: string = createRequire(import.meta.url)("../package.json").version
