/** Calls all routes of the service, in memory or over HTTP. The calls run in the test's runtime and use its clock. */
import { createServer } from "node:http"
import * as Tracing from "@partner-commentary/core/shared/Tracing"
import * as Routes from "@partner-commentary/server/Routes"
import * as Workers from "@partner-commentary/server/Workers"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

export interface TestApiCall extends Omit<RequestInit, "body"> {
  readonly key?: string
  /** A dashboard token, which is sent as a Bearer token in the header `Authorization`. */
  readonly token?: string
  /** The request body. A string is sent unchanged, and any other value is sent as JSON. */
  readonly body?: unknown
}

export class TestApi extends Context.Service<
  TestApi,
  {
    /** Sends a request. `path` starts below `{api_root}` and may contain a query. */
    readonly call: (path: string, call?: TestApiCall) => Effect.Effect<Response>
    /** Handles one request. The promise can resolve before the resulting background work is done. */
    readonly handle: (request: Request) => Promise<Response>
  }
>()("@partner-commentary/test/TestApi") {
  private static withoutSockets(caller: Option.Option<string>) {
    return Layer.effect(
      TestApi,
      Effect.gen(function* () {
        const http = yield* HttpRouter.toHttpEffect(Routes.layerOwnRouter.pipe(Layer.provide(HttpServer.layerServices)))
        const called = Effect.updateService(http, HttpServerRequest, (request) =>
          request.modify({ remoteAddress: caller })
        )
        return make("http://test.invalid", HttpEffect.toWebHandlerWith(yield* Effect.context<never>())(called as never))
      })
    ).pipe(Layer.provide([Layer.succeed(HttpRouter.RouterConfig, Routes.routerConfig), Tracing.layer]))
  }

  /** Calls the routes without a socket. The caller's address is unknown. */
  static readonly layerMemory = TestApi.withoutSockets(Option.none())

  /** Calls the routes without a socket. The caller's address is 127.0.0.1, as with `layerHttp`. */
  static readonly layerLoopback = TestApi.withoutSockets(Option.some("127.0.0.1"))

  /** Calls the routes over a socket on a free port of this machine. */
  static readonly layerHttp = Layer.effect(
    TestApi,
    Effect.map(HttpServer.HttpServer, ({ address }) => make(HttpServer.formatAddress(address), fetch))
  ).pipe(
    Layer.provideMerge(
      HttpRouter.serve(Routes.layerOwnRouter, {
        routerConfig: Routes.routerConfig,
        disableLogger: true,
        disableListenLog: true
      })
    ),
    Layer.provide(
      Layer.unwrap(
        // Import the server on demand, because `@effect/platform-node` is an optional peer dependency.
        Effect.map(
          Effect.promise(() => import("@effect/platform-node/NodeHttpServer")),
          (server) => server.layer(createServer, { port: 0, host: "127.0.0.1" })
        )
      )
    )
  )

  /** Runs the workers in the background. */
  static readonly workers = Workers.layer
}

const make = (root: string, handle: (request: Request) => Promise<Response>) =>
  TestApi.of({
    handle,
    call: (path, call = {}) =>
      Effect.promise(() => handle(new Request(`${root}${path}`, { redirect: "manual", ...requestInit(call) })))
  })

const requestInit = ({ body, headers, key, token, ...rest }: TestApiCall): RequestInit => ({
  ...rest,
  headers: {
    ...(key === undefined ? {} : { "x-api-key": key }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(headers as Record<string, string> | undefined)
  },
  ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) })
})
