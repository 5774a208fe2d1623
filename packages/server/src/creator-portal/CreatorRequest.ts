/** Parses the address and headers of a request below `/creator`, and returns the route that logs may contain. */
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type CreatorAction, isCreatorAction, parseMediaType } from "./CreatorAction.ts"

export type CreatorRequestTarget =
  | { readonly at: "page"; readonly token: string }
  | { readonly at: "action"; readonly token: string; readonly action: CreatorAction | "desk" }
  /** The target of a GET request for the address of an action, for example after a reload. */
  | { readonly at: "reloadedAction"; readonly token: string; readonly action: CreatorAction | "desk" }
  | { readonly at: "notFound" }

const notFound: CreatorRequestTarget = { at: "notFound" }

/**
 * The maximum length of a token in a path. The maximum length limits the memory that invalid tokens use. All valid
 * creator tokens are shorter than 1000 characters.
 */
const maxTokenLength = 1000

export const parseCreatorTarget = (method: string, path: string): CreatorRequestTarget => {
  const [token = "", action, ...rest] = path.split("/")
  if (!/^[\w.-]+$/.test(token) || token.length > maxTokenLength || rest.length > 0) return notFound
  const looks = method === "GET" || method === "HEAD"
  if (action === undefined) return looks ? { at: "page", token } : notFound
  if ((!looks && method !== "POST") || (action !== "desk" && !isCreatorAction(action))) return notFound
  return { at: looks ? "reloadedAction" : "action", token, action }
}

/** Returns the route for logs and traces. The route never contains the creator's token. */
export const formatCreatorRouteForLogs = (target: CreatorRequestTarget): string => {
  if (target.at === "notFound") return "/creator/*"
  return target.at === "page" ? "/creator/:token" : `/creator/:token/${target.action}`
}

/**
 * Returns whether the request is for a creator's page, below any mount path and with any percent-encoding of the path.
 */
export const isCreatorRequest = (request: HttpServerRequest): boolean => {
  const [path = ""] = request.url.replace(/^\/+/, "").split(/[?;#]/, 1)
  const segments = path.split("/")
  return segments.some((segment, place) => (place === 0 || place < segments.length - 1) && isCreator(segment))
}

const isCreator = (segment: string): boolean =>
  Result.getOrElse(
    Result.try(() => decodeURIComponent(segment)),
    () => segment
  ).toLowerCase() === "creator"

/**
 * Hosts provide `layerWithoutServerSpans` to their server, because the HTTP server's own trace span would record the
 * creator's token. `CreatorRoutes` creates a span that records the route instead of the token.
 */
export const layerWithoutServerSpans = Layer.succeed(HttpMiddleware.TracerDisabledWhen)(isCreatorRequest)

/** Returns true for a request with a JSON body, or when the client prefers JSON to HTML. */
export const prefersJson = (request: HttpServerRequest): boolean => {
  if (parseMediaType(request) === "application/json") return true
  const accept = request.headers["accept"] ?? ""
  return quality(accept, "application/json") > quality(accept, "text/html")
}

const quality = (accept: string, type: string): number => {
  for (const range of accept.toLowerCase().split(",")) {
    const [name, ...parameters] = range.split(";").map((part) => part.trim())
    if (name !== type) continue
    const weight = parameters.find((parameter) => parameter.startsWith("q="))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  }
  return 0
}
