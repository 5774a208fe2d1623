/**
 * In Remix and React Router, this file is `app/pc.server.ts`. The name excludes the file from the bundle for browsers.
 */
import { pc } from "./pc.ts"

// #region glue
await pc.start()
process.once("SIGTERM", pc.stop)
process.once("SIGINT", pc.stop)

export { pc }
// #endregion
