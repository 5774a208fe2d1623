/**
 * Every route as one function from the web's Request to its Response, for hosts whose server is somebody else's: a framework, a
 * gateway. What a Request does not tell, the host tells beside it.
 */
import type { WhenResponseEnds } from "@partner-commentary/core/access/ConcurrencyLimit"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpMiddleware from "effect/http/HttpMiddleware"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { isCreatorRequest } from "../creator-portal/CreatorRequest.ts"
import { below, pathOf } from "../http/Address.ts"
import { AnswerTaken } from "../middleware/ConcurrentRequests.ts"
import * as Routes from "../routes/Routes.ts"

/** What the web's Request does not tell. */
export interface Sent {
  /** Who connected; `""` is nobody that is known. */
  readonly address?: string
  /** Path and query as they were sent: a Request's URL has lost dots, and more. */
  readonly target?: string
  /** Whether the path of `{api_root}` was taken off already: else it is where it is there, though a path of ours begins with it. */
  readonly isBelow?: boolean
  /** As of `AnswerTaken`: the answer holds its organization's place until then. */
  readonly whenTaken?: WhenResponseEnds
}

const CurrentSent = Context.Reference<Sent>("@partner-commentary/server/WebHandler/Sent", { defaultValue: () => ({}) })

/** The request as it was sent, to whoever answers it; less the path of `{api_root}`, which some routers take off and some leave. */
const asSent =
  (prefix: string) =>
  (context: Context.Context<never>): Context.Context<never> => {
    const request = Context.getUnsafe(context, HttpServerRequest)
    const { address = "", isBelow = false, target = request.url, whenTaken } = Context.get(context, CurrentSent)
    const url = isBelow ? target : (below(prefix, target) ?? target)
    const sent = Context.add(context, HttpServerRequest, request.modify({ remoteAddress: Option.some(address), url }))
    return whenTaken === undefined ? sent : Context.add(sent, AnswerTaken, () => whenTaken)
  }

export class WebHandler extends Context.Service<
  WebHandler,
  {
    /** Fails never: what goes wrong is an answer, too. */
    readonly answer: (request: Request, sent?: Sent) => Promise<Response>
  }
>()("@partner-commentary/server/embedding/WebHandler") {
  static readonly layer = Layer.effect(
    WebHandler,
    Effect.gen(function* () {
      const { apiRoot } = yield* PublicAddress
      const routed = yield* HttpRouter.toHttpEffect(Routes.layer.pipe(Layer.provide(HttpServer.layerServices)))
      const app = Effect.updateContext(routed as Effect.Effect<never>, asSent(pathOf(apiRoot)))
      // No creator's token in a trace.
      const context = Context.add(yield* Effect.context<never>(), HttpMiddleware.TracerDisabledWhen, isCreatorRequest)
      const answer = HttpEffect.toWebHandlerWith(context)(app)
      return WebHandler.of({ answer: (request, sent = {}) => answer(request, Context.make(CurrentSent, sent)) })
    })
  ).pipe(Layer.provide(Layer.succeed(HttpRouter.RouterConfig, Routes.routerConfig)))
}
