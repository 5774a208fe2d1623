/**
 * The service as route handlers of a Web-standard router: one function per method, from Request to Response. The folder `nextjs`
 * beside this file shows their use in Next.js.
 */
import type { PartnerCommentary } from "partner-commentary"

// #region route-handler
/** `address` tells who connected: by a header that your proxy sets whatever the client sent, or `""` where nothing tells. */
export const handlers = (pc: PartnerCommentary, address: (request: Request) => string) => {
  const answer = (request: Request) => pc.fetch(request, { address: address(request) })
  return { GET: answer, HEAD: answer, POST: answer, PUT: answer, PATCH: answer, DELETE: answer, OPTIONS: answer }
}
// #endregion
