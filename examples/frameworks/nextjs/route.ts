/** In Next.js 15 and 16, this file is `app/commentary/[[...path]]/route.ts`. */
import { pc } from "../../../commentary"

// #region glue
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = pc.next
// #endregion
