/** SvelteKit: `src/hooks.server.ts`. */
import { pc } from "./pc.ts"

// #region glue
export const init = () => pc.start()
// #endregion
