/** Mounts the service in Remix and React Router, as `app/routes/commentary.ts` for the path `commentary/*`. */
import { pc } from "../pc.server.ts"

/** React Router requires the names `loader` (GET) and `action` (other methods). */
// #region glue
export const loader = ({ request }: { request: Request }) => pc.fetch(request)
export const action = loader
// #endregion
