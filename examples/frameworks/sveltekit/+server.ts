/** In SvelteKit, this file is `src/routes/commentary/[...path]/+server.ts`. */
import { pc } from "../../../pc.ts"
import type { RequestHandler } from "./$types.js"

// #region glue
export const fallback: RequestHandler = ({ getClientAddress, request }) =>
  pc.fetch(request, { address: getClientAddress() })
// #endregion
