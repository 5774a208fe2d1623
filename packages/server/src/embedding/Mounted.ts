/**
 * Mounts all routes below the path of `{api_root}` in the router of an Effect application. The error handling and the
 * limits of the application's own routes do not change.
 */
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import { parseServicePathPrefix, removePathPrefix } from "../http/Address.ts"
import * as Routes from "../routes/Routes.ts"

const routes = Routes.layerOwnRouter.pipe(
  Layer.provide(HttpServer.layerServices),
  Layer.provide(Layer.succeed(HttpRouter.RouterConfig, Routes.routerConfig))
)

/** The mounted routes have a separate router, because the application's router is still being built. */
const own = Effect.gen(function* () {
  const memoMap = yield* Layer.makeMemoMap
  return yield* Effect.provideService(HttpRouter.toHttpEffect(routes), Layer.CurrentMemoMap, memoMap)
}).pipe(Effect.provideService(HttpRouter.RouterConfig, Routes.routerConfig))

const rootless = "Mounted.layer needs a path in the public address. At the root, serve Routes.layer beside your routes."

export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const prefix = parseServicePathPrefix((yield* PublicAddress).apiRoot)
    if (prefix === "") return yield* Effect.die(rootless)
    const answer = (yield* own) as Effect.Effect<never>
    // The middleware runs before the application's router, because the router decodes paths and limits their length.
    yield* router.addGlobalMiddleware<never, never>(((app: Effect.Effect<never>) =>
      Effect.withFiber((fiber) => {
        const request = Context.getUnsafe(fiber.context, HttpServerRequest)
        const rest = removePathPrefix(prefix, request.url)
        if (rest === undefined) return app
        return Effect.provideService(answer, HttpServerRequest, request.modify({ url: rest }))
      })) as never)
  })
)
