/** Serves the default picture for personas that have no picture. */
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

export const defaultAvatarPath = "/avatar.svg"

const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" role="img" aria-label="No picture"><rect width="96" height="96" fill="#e7e2d9"/><circle cx="48" cy="38" r="16" fill="#8a8377"/><path d="M16 90a32 26 0 0 1 64 0z" fill="#8a8377"/></svg>`

export const layer = HttpRouter.add(
  "GET",
  defaultAvatarPath,
  HttpServerResponse.text(svg, {
    contentType: "image/svg+xml",
    headers: { "cache-control": "public, max-age=86400", "x-content-type-options": "nosniff" }
  })
)
