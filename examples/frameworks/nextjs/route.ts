/** Mounts the service in Next.js 15 and 16, as `app/commentary/[[...path]]/route.ts`. */
import { pc } from "../../../commentary"

// #region glue
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = pc.next
// #endregion
