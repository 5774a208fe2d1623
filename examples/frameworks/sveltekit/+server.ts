/** Mounts the service in SvelteKit, as `src/routes/commentary/[...path]/+server.ts`. */
import { pc } from "../../../pc.ts"
import type { RequestHandler } from "./$types.js"

/** SvelteKit calls `fallback` for all methods. */
// #region glue
export const fallback: RequestHandler = ({ getClientAddress, request }) =>
  pc.fetch(request, { address: getClientAddress() })
// #endregion
