/** Which version of the product this is. The sources and the bundle lie beside the package's own description. */
import { createRequire } from "node:module"

export const version: string = createRequire(import.meta.url)("../package.json").version
