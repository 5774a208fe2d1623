/**
 * Opens the service in Remix and React Router. The name `app/pc.server.ts` keeps this file out of the bundle for
 * browsers.
 */
import { pc } from "./pc.ts"

// #region glue
await pc.start()
process.once("SIGTERM", pc.stop)
process.once("SIGINT", pc.stop)

export { pc }
// #endregion
