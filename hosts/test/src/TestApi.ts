/** The service's routes behind one function, in memory or over real HTTP, within the test's own runtime and clock. */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Routes from "@partner-commentary/server/Routes"
import * as Workers from "@partner-commentary/server/Workers"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"

export interface Call extends Omit<RequestInit, "body"> {
  readonly key?: string
  /** The dashboard's, sent as `Authorization: Bearer`. */
  readonly token?: string
  /** Sent as JSON unless it is text already. */
  readonly body?: unknown
}

export class TestApi extends Context.Service<
  TestApi,
  {
    /** A path below `{api_root}`, with its query. */
    readonly call: (path: string, call?: Call) => Effect.Effect<Response>
  }
>()("@partner-commentary/test/TestApi") {
  /** In memory: no socket; the caller's address is unknown. */
  static readonly layerMemory = Layer.effect(
    TestApi,
    Effect.gen(function* () {
      const http = yield* HttpRouter.toHttpEffect(Routes.layer.pipe(Layer.provide(HttpServer.layerServices)))
      const handle = HttpEffect.toWebHandlerWith(yield* Effect.context<never>())(http as never)
      return TestApi.of({
        call: (path, call = {}) =>
          Effect.promise(() => handle(new Request(`http://test.invalid${path}`, requestInit(call))))
      })
    })
  ).pipe(Layer.provide(Layer.succeed(HttpRouter.RouterConfig, Routes.routerConfig)))

  /** Over a real socket on a free port of this machine. */
  static readonly layerHttp = Layer.effect(
    TestApi,
    Effect.gen(function* () {
      const server = yield* HttpServer.HttpServer
      const root = HttpServer.formatAddress(server.address)
      return TestApi.of({
        call: (path, call = {}) =>
          Effect.promise(() => fetch(`${root}${path}`, { redirect: "manual", ...requestInit(call) }))
      })
    })
  ).pipe(
    Layer.provideMerge(
      HttpRouter.serve(Routes.layer, { routerConfig: Routes.routerConfig, disableLogger: true, disableListenLog: true })
    ),
    Layer.provide(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
  )

  /** The workers beside it. */
  static readonly workers = Workers.layer
}

const requestInit = ({ body, headers, key, token, ...rest }: Call): RequestInit => ({
  ...rest,
  headers: {
    ...(key === undefined ? {} : { "x-api-key": key }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(headers as Record<string, string> | undefined)
  },
  ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
})
