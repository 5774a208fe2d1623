/**
 * Serves all routes as one function from a web Request to a Response, for hosts that use a framework or a gateway as
 * their server. The host passes the data that a web Request lacks.
 */
import type { OnResponseEnd } from "@partner-commentary/core/access/ConcurrencyLimit"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import * as RunningContext from "@partner-commentary/core/shared/RunningContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { isCreatorRequest } from "../creator-portal/CreatorRequest.ts"
import { parseServicePathPrefix, removePathPrefix } from "../http/Address.ts"
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

const CurrentHostRequestInfo = Context.Reference<HostRequestInfo>(
  "@partner-commentary/reference/CurrentHostRequestInfo",
  {
    defaultValue: () => ({})
  }
)

/**
 * Returns the request with its original path and query. If the host did not remove the path of `{api_root}` from the
 * URL, `restoreOriginalRequest` removes the path.
 */
const restoreOriginalRequest =
  (prefix: string) =>
  (context: Context.Context<never>): Context.Context<never> => {
    const request = Context.getUnsafe(context, HttpServerRequest)
    const {
      address = "",
      closeConnection,
      isEncodingLost = false,
      isPrefixRemoved = false,
      mustAnswerAtOnce = false,
      target = request.url,
      whenResponseEnds
    } = Context.get(context, CurrentHostRequestInfo)
    const url = isPrefixRemoved ? target : (removePathPrefix(prefix, target) ?? target)
    const lost = [...(isEncodingLost ? ["accept-encoding"] : []), ...(mustAnswerAtOnce ? ["prefer"] : [])]
    const headers = lost.reduce(Headers.remove, request.headers)
    const modified = request.modify({ headers, remoteAddress: Option.some(address), url })
    let sent = Context.add(context, HttpServerRequest, modified)
    if (mustAnswerAtOnce) sent = Context.add(sent, MustRespondImmediately, true)
    if (closeConnection !== undefined) sent = Context.add(sent, CloseConnection, closeConnection)
    return whenResponseEnds === undefined ? sent : Context.add(sent, ResponseEndObserver, () => whenResponseEnds)
  }

export class WebHandler extends Context.Service<
  WebHandler,
  {
    /** Handles a request. The promise does not reject when the handling fails, because errors become responses. */
    readonly respond: (request: Request, sent?: HostRequestInfo) => Promise<Response>
  }
>()("@partner-commentary/server/embedding/WebHandler") {
  static readonly layer = Layer.effect(
    WebHandler,
    Effect.gen(function* () {
      const { apiRoot } = yield* PublicAddress
      const routed = yield* HttpRouter.toHttpEffect(Routes.layer.pipe(Layer.provide(HttpServer.layerServices)))
      const app = Effect.updateContext(
        routed as Effect.Effect<never>,
        restoreOriginalRequest(parseServicePathPrefix(apiRoot))
      )
      // Disable tracing for creators' pages, because traces must not contain creators' tokens.
      const context = Context.add(yield* Effect.context<never>(), HttpMiddleware.TracerDisabledWhen, isCreatorRequest)
      const answer = HttpEffect.toWebHandlerWith(RunningContext.removeServices(context))(app)
      return WebHandler.of({
        respond: (request, sent = {}) => answer(request, Context.make(CurrentHostRequestInfo, sent))
      })
    })
  ).pipe(Layer.provide(Layer.succeed(HttpRouter.RouterConfig, Routes.routerConfig)))
}
