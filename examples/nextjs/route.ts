/** Next.js 15 and 16: `app/commentary/[[...path]]/route.ts`, the service's routes below a path of the application. */
import { handlers } from "../route-handler.ts"
import { pc } from "./commentary.ts"

// #region route
export const runtime = "nodejs"

/** Your proxy sets the header, whatever the client sent. Without such a proxy it is the client's to choose: then say `() => ""`. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = handlers(
  pc,
  (request) => request.headers.get("x-real-ip") ?? ""
)
// #endregion
