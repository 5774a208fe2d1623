/** Returns the version of the product. The sources and the bundle lie beside the package's `package.json`. */
import { createRequire } from "node:module"

export const version: string = createRequire(import.meta.url)("../package.json").version
