/** Remix and React Router: `app/pc.server.ts`, whose name keeps it out of the bundle for browsers. */
import { pc } from "./pc.ts"

// #region glue
await pc.start()
process.once("SIGTERM", pc.stop)
process.once("SIGINT", pc.stop)

export { pc }
// #endregion
