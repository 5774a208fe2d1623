/** What a request below `/creator` asks for, read from its address and headers alone; and the name under which it may be logged. */
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { type Action, isAction } from "./CreatorAction.ts"
import { mediaType } from "./CreatorInput.ts"

export type Target =
  | { readonly at: "page"; readonly token: string }
  | { readonly at: "action"; readonly token: string; readonly action: Action | "desk" }
  /** Where an action is sent to, but only looked at: by a reload, or from the browser's history. */
  | { readonly at: "behind"; readonly token: string; readonly action: Action | "desk" }
  | { readonly at: "nowhere" }

const nowhere: Target = { at: "nowhere" }

/** Longer than any token of ours, and short enough to be kept. */
const maxTokenLength = 1000

export const targetOf = (method: string, path: string): Target => {
  const [token = "", action, ...rest] = path.split("/")
  if (!/^[\w.-]+$/.test(token) || token.length > maxTokenLength || rest.length > 0) return nowhere
  const looks = method === "GET" || method === "HEAD"
  if (action === undefined) return looks ? { at: "page", token } : nowhere
  if ((!looks && method !== "POST") || (action !== "desk" && !isAction(action))) return nowhere
  return { at: looks ? "behind" : "action", token, action }
}

/** For logs and traces: never the token. */
export const routeOf = (target: Target): string => {
  if (target.at === "nowhere") return "/creator/*"
  return target.at === "page" ? "/creator/:token" : `/creator/:token/${target.action}`
}

/**
 * Whether this is a request to a creator's page, whatever becomes of it, however its address is spelled, and below whatever path
 * the service is mounted.
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
 * For every host to provide to its server: the server's own span would record the address, and with it the token.
 * `CreatorRoutes` makes a span that names the route instead.
 */
export const layerUntraced = Layer.succeed(HttpMiddleware.TracerDisabledWhen)(isCreatorRequest)

/** A JSON body, or JSON preferred to HTML. */
export const speaksJson = (request: HttpServerRequest): boolean => {
  if (mediaType(request) === "application/json") return true
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
