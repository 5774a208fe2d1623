/**
 * The service as the route handlers of a Web-standard router: one function for each method, from Request to Response. In Next.js
 * it is `app/[[...path]]/route.ts`; there, who connected stands in a header that your proxy sets.
 */
import type { Service } from "./service.ts"

// #region route-handler
export const handlers = (service: Service) => {
  const answer = (request: Request) => service.fetch(request, { address: request.headers.get("x-real-ip") ?? "" })
  return { GET: answer, HEAD: answer, POST: answer, PUT: answer, PATCH: answer, DELETE: answer, OPTIONS: answer }
}
// #endregion
