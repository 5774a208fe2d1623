/** Creates the route handlers for Next.js. */
import type { EmbeddedService } from "@partner-commentary/server/Embedded"

type Handler = (request: Request) => Promise<Response>

/** The exports of a file `route.ts` in Next.js. */
export type NextRouteHandlers = Readonly<
  Record<"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS", Handler>
>

/**
 * Creates the handlers of a Next.js route. Next.js hides the client's address, so every request gets `address` as its
 * socket address. Responses are not compressed, because Next.js deletes the header `content-encoding`.
 */
export const makeNextRouteHandlers = (fetch: EmbeddedService<never>["fetch"], address: string): NextRouteHandlers => {
  const answer: Handler = (request) => fetch(request, { address, isEncodingLost: true })
  return { GET: answer, HEAD: answer, POST: answer, PUT: answer, PATCH: answer, DELETE: answer, OPTIONS: answer }
}
