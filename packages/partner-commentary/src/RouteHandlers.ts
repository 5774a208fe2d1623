/** Route handlers for Next.js. */
import type { EmbeddedService } from "@partner-commentary/server/Embedded"

type Handler = (request: Request) => Promise<Response>

/** The exports of a file `route.ts`. */
export type RouteHandlers = Readonly<Record<"GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS", Handler>>

/** Next.js hides the address that connected and deletes `content-encoding`. `address` is used for every connection. */
export const make = (fetch: EmbeddedService<never>["fetch"], address: string): RouteHandlers => {
  const answer: Handler = (request) => fetch(request, { address, isEncodingLost: true })
  return { GET: answer, HEAD: answer, POST: answer, PUT: answer, PATCH: answer, DELETE: answer, OPTIONS: answer }
}
