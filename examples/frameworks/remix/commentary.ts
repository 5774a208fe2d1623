/** In Remix and React Router, this file is `app/routes/commentary.ts`, for the path `commentary/*`. */
import { pc } from "../pc.server.ts"

// #region glue
export const loader = ({ request }: { request: Request }) => pc.fetch(request)
export const action = loader
// #endregion
