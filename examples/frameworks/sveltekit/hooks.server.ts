import type { Handle } from "@sveltejs/kit"
import { pc } from "./pc.ts"

/** SvelteKit calls `init` when the server starts. */
export const init = () => pc.start()
process.once("sveltekit:shutdown", pc.stop)

/** SvelteKit calls `handle` for each request. For your routes, `handle` checks the origin, as SvelteKit does. */
export const handle: Handle = ({ event, resolve }) => {
  const { request, route, url } = event
  const isOwn = ["GET", "HEAD", "OPTIONS"].includes(request.method) || request.headers.get("origin") === url.origin
  return isOwn || route.id === "/commentary/[...path]" ? resolve(event) : new Response("Forbidden", { status: 403 })
}
