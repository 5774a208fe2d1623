/**
 * The whole service in memory with a time of its own, as a layer: for tests that speak Effect, and what
 * TestPartnerCommentary is made of. No workers run beside it: DueWork does what is due, when it is asked to.
 */
import type { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import * as Routes from "@partner-commentary/server/Routes"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as Application from "./Application.ts"
import { DueWork } from "./DueWork.ts"
import { Mailbox } from "./Mailbox.ts"
import { ScriptedGenerator } from "./ScriptedGenerator.ts"
import { ScriptedMedia } from "./ScriptedMedia.ts"
import { VirtualClock } from "./VirtualClock.ts"

export interface Options extends Pick<Application.Options, "apiRoot" | "policy"> {
  /** When the time begins, in milliseconds since 1970. */
  readonly start: number
  /** What is made of approved texts besides, where a topic asks for it. */
  readonly media?: ReadonlyArray<MediaKind>
}

export class TestService extends Context.Service<
  TestService,
  {
    /** Every route. Answers before what follows from the request is done. */
    readonly handle: (request: Request) => Promise<Response>
  }
>()("@partner-commentary/test/TestService") {
  static readonly layer = (options: Options) =>
    Layer.effect(
      TestService,
      Effect.gen(function* () {
        const http = yield* HttpRouter.toHttpEffect(Routes.layer.pipe(Layer.provide(HttpServer.layerServices)))
        return TestService.of({ handle: HttpEffect.toWebHandlerWith(yield* Effect.context<never>())(http as never) })
      })
    ).pipe(
      Layer.provide(Layer.succeed(HttpRouter.RouterConfig, Routes.routerConfig)),
      Layer.provideMerge(DueWork.layer),
      Layer.provideMerge(
        Application.layer({
          ...options,
          outside: Layer.mergeAll(Mailbox.layer, ScriptedGenerator.layer, ScriptedMedia.layer(...(options.media ?? [])))
        })
      ),
      Layer.provideMerge(VirtualClock.layer(options.start))
    )
}
