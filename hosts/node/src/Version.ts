/**
 * The product's version from `package.json`. The relative path of `package.json` is the same for this module and for
 * the bundle, because the folders `src` and `bundle` are both beside `package.json`.
 */
import { createRequire } from "node:module"

export const productVersion: string = createRequire(import.meta.url)("../package.json").version
