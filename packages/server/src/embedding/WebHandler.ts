/**
 * Serves all routes as functions from a request to a response, for hosts that use a framework or a gateway as their
 * server. The host passes the data that a web Request lacks.
 */
import type { OnResponseEnd } from "@partner-commentary/core/access/ConcurrencyLimit"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import * as RunningContext from "@partner-commentary/core/shared/RunningContext"
import * as Tracing from "@partner-commentary/core/shared/Tracing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Cookies from "effect/http/Cookies"
import * as Headers from "effect/http/Headers"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import { ClientAbort } from "effect/http/HttpServerError"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { isCreatorRequest } from "../creator-portal/CreatorRequest.ts"
import { parseServicePathPrefix, removePathPrefix } from "../http/Address.ts"
import { makeChunkCounter } from "../http/BodyChunks.ts"
import { MustRespondImmediately } from "../http/Preference.ts"
import { CloseConnection, ResponseEndObserver } from "../middleware/ConcurrentRequests.ts"
import * as Routes from "../routes/Routes.ts"

/** The data of a request that a web Request does not contain. */
export interface HostRequestInfo {
  /** The client's address; `""` when the address is unknown. */
  readonly address?: string
  /**
   * The path and query as the client sent them. The URL of a web Request does not suffice, because normalization has
   * removed the dot segments.
   */
  readonly target?: string
  /** True if the host has already removed the mount path from the URL. */
  readonly isPrefixRemoved?: boolean
  /** True if the host deletes `content-encoding` from responses, so that the service must not compress responses. */
  readonly isEncodingLost?: boolean
  /**
   * If true, the service responds immediately: the service ignores `Prefer: wait`, and an event stream ends after the
   * events that already exist.
   */
  readonly mustAnswerAtOnce?: boolean
  /**
   * Sets `ResponseEndObserver`, so that the service holds the concurrency permit of the request until the client has
   * received the response.
   */
  readonly whenResponseEnds?: OnResponseEnd
  /** Sets `CloseConnection`, which closes the client's connection. */
  readonly closeConnection?: () => void
}

/** A request that a host has passed to the service. */
interface Exchange {
  readonly sent: HostRequestInfo
  readonly respond: (response: HttpServerResponse.HttpServerResponse) => void
}

const CurrentExchange = Context.Reference<Exchange>("@partner-commentary/reference/CurrentExchange", {
  defaultValue: () => ({ sent: {}, respond: () => {} })
})

/**
 * Returns the request with its original path and query. If the host did not remove the path of `{api_root}` from the
 * URL, `restoreOriginalRequest` removes the path.
 */
const restoreOriginalRequest =
  (prefix: string) =>
  (context: Context.Context<never>): Context.Context<never> => {
    const request = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
    const {
      address = "",
      closeConnection,
      isEncodingLost = false,
      isPrefixRemoved = false,
      mustAnswerAtOnce = false,
      target = request.url,
      whenResponseEnds
    } = Context.get(context, CurrentExchange).sent
    const url = isPrefixRemoved ? target : (removePathPrefix(prefix, target) ?? target)
    const lost = [...(isEncodingLost ? ["accept-encoding"] : []), ...(mustAnswerAtOnce ? ["prefer"] : [])]
    const headers = lost.reduce(Headers.remove, request.headers)
    const modified = request.modify({ headers, remoteAddress: Option.some(address), url })
    let sent = Context.add(context, HttpServerRequest.HttpServerRequest, modified)
    if (mustAnswerAtOnce) sent = Context.add(sent, MustRespondImmediately, true)
    if (closeConnection !== undefined) sent = Context.add(sent, CloseConnection, closeConnection)
    return whenResponseEnds === undefined ? sent : Context.add(sent, ResponseEndObserver, () => whenResponseEnds)
  }

/** Sends the response to the host. The scope of the request stays open until a streamed body ends. */
const sendToHost = (
  { method }: HttpServerRequest.HttpServerRequest,
  response: HttpServerResponse.HttpServerResponse
): Effect.Effect<void> =>
  Effect.withFiber(({ context }: { readonly context: Context.Context<never> }) => {
    const isBodyOmitted = HttpServerResponse.omitsBody(response, method === "HEAD")
    Context.get(context, CurrentExchange).respond(isBodyOmitted ? response : HttpEffect.scopeTransferToStream(response))
    return Effect.void
  })

/** A response that a host writes to its own server. */
export interface HostResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | Array<string>>>
  /** The whole body or a stream of its parts, and null if the response has no body. */
  readonly body: string | Uint8Array | ReadableStream<Uint8Array> | null
  /** If true, the host should close the client's connection after the response. */
  readonly closesConnection?: boolean
}

export class WebHandler extends Context.Service<
  WebHandler,
  {
    /** Handles a request. The promise does not reject when the handling fails, because errors become responses. */
    readonly respond: (request: Request, sent?: HostRequestInfo) => Promise<Response>
    /**
     * Handles a request like `respond`, but creates no web Response unless the body is a stream. The source of the
     * request has the properties of a web Request.
     */
    readonly handle: (request: HttpServerRequest.HttpServerRequest, sent: HostRequestInfo) => Promise<HostResponse>
  }
>()("@partner-commentary/server/embedding/WebHandler") {
  static readonly layer = Layer.effect(
    WebHandler,
    Effect.gen(function* () {
      const { apiRoot } = yield* PublicAddress
      const routed = yield* HttpRouter.toHttpEffect(Routes.layerOwnRouter.pipe(Layer.provide(HttpServer.layerServices)))
      const app = Effect.updateContext(
        routed as Effect.Effect<never>,
        restoreOriginalRequest(parseServicePathPrefix(apiRoot))
      )
      // Disable tracing for creators' pages, because traces must not contain creators' tokens.
      const context = RunningContext.removeServices(
        Context.add(yield* Effect.context<never>(), HttpMiddleware.TracerDisabledWhen, isCreatorRequest)
      )
      const handled = HttpEffect.toHandled(app, sendToHost)
      // Closing the scope interrupts the requests that still run when the service stops.
      const running = yield* Scope.fork(yield* Effect.scope, "parallel")

      const exchange = (request: HttpServerRequest.HttpServerRequest, sent: HostRequestInfo) =>
        new Promise<HttpServerResponse.HttpServerResponse>((respond) => {
          const own = Context.add(context, HttpServerRequest.HttpServerRequest, request)
          const fiber = Effect.runForkWith(Context.add(own, CurrentExchange, { sent, respond }))(handled)
          if (fiber.pollUnsafe() !== undefined) return
          Fiber.runIn(fiber, running)
          const signal = signalOf(request)
          const interrupt = () => fiber.interruptUnsafe(undefined, ClientAbort.annotation)
          if (signal?.aborted === true) return interrupt()
          signal?.addEventListener("abort", interrupt)
          fiber.addObserver(() => signal?.removeEventListener("abort", interrupt))
        })

      const toWeb = (
        request: HttpServerRequest.HttpServerRequest,
        response: HttpServerResponse.HttpServerResponse
      ): Response =>
        HttpServerResponse.toWeb(response, {
          withoutBody: request.method === "HEAD",
          context,
          signal: signalOf(request)
        })

      return WebHandler.of({
        handle: (request, sent) =>
          exchange(request, sent).then((response) => {
            const { body, cookies, headers, status } = response
            const isWhole =
              body._tag === "Uint8Array" && !HttpServerResponse.omitsBody(response, request.method === "HEAD")
            return {
              status,
              headers: Cookies.isEmpty(cookies)
                ? headers
                : { ...headers, "set-cookie": Cookies.toSetCookieHeaders(cookies) },
              body: body._tag === "Empty" ? null : isWhole ? (body.text ?? body.body) : toWeb(request, response).body
            }
          }),
        respond: (web, sent = {}) => {
          const request = HttpServerRequest.fromWeb(withChunkLimit(web))
          return exchange(request, sent).then((response) => toWeb(request, response))
        }
      })
    })
  ).pipe(Layer.provide([Layer.succeed(HttpRouter.RouterConfig, Routes.routerConfig), Tracing.layer]))
}

/** Returns the request with a body that cannot be read if it has too many chunks. */
const withChunkLimit = (web: Request): Request => {
  const { body, headers, method, signal, url } = web
  if (body === null) return web
  const accepts = makeChunkCounter()
  const limit = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) =>
      accepts(chunk.length) ? controller.enqueue(chunk) : controller.error("The body has too many chunks")
  })
  const limited: Pick<Request, "body" | "headers" | "method" | "signal" | "url"> = {
    // Node's `Readable.toWeb` throws an uncaught exception if its stream is canceled while it emits data.
    body: body.pipeThrough(limit, { preventCancel: true }),
    headers,
    method,
    signal,
    url
  }
  return limited as Request
}

/** Requests of some other libraries have no signal. */
const signalOf = ({ source }: HttpServerRequest.HttpServerRequest): AbortSignal | undefined =>
  (source as Partial<Request>).signal
