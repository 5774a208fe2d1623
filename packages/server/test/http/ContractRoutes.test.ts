/**
 * Tests that the contract's routes decode, authorize and encode as Effect's builder does. The routes do not copy the
 * context of the application.
 */
import { assert, it } from "@effect/vitest"
import * as RunningContext from "@partner-commentary/core/shared/RunningContext"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiMiddleware from "effect/http-api/HttpApiMiddleware"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as ContractRoutes from "../../src/http/ContractRoutes.ts"

class Refused extends Schema.Error<Refused>("Refused")({ why: Schema.String }, { httpApiStatus: 403 }) {}

class Caller extends Context.Service<Caller, string>()("Caller") {}

class Guard extends HttpApiMiddleware.Service<Guard, { provides: Caller }>()("Guard", { error: Refused }) {}

const Api = HttpApi.make("api").add(
  HttpApiGroup.make("things")
    .add(HttpApiEndpoint.get("text", "/text/:id", { params: { id: Schema.String }, success: Schema.String }))
    .add(
      HttpApiEndpoint.get("value", "/value/:id", {
        params: { id: Schema.String },
        query: { size: Schema.optionalKey(Schema.NumberFromString) },
        success: Schema.Struct({ id: Schema.String, caller: Schema.String, size: Schema.optionalKey(Schema.Number) })
      })
    )
    .middleware(Guard)
)

const handlers = HttpApiBuilder.group(Api, "things", (things) =>
  things
    .handle("text", ({ params }) => Effect.succeed(HttpServerResponse.text(params.id)))
    .handle("value", ({ params, query }) => Effect.map(Caller, (caller) => ({ id: params.id, caller, ...query })))
)

const guard = Layer.succeed(Guard, (next) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) =>
    headers["x-api-key"] === undefined
      ? (Effect.fail(new Refused({ why: "no key" })) as never)
      : Effect.provideService(next, Caller, headers["x-api-key"])
  )
)

/** Counts how often the context with the application's services is copied. */
class CountedMap extends Map<string, unknown> {
  copies = 0
  override [Symbol.iterator]() {
    this.copies++
    return super[Symbol.iterator]()
  }
}

const routes = (api: typeof Api) => ContractRoutes.layer(api)
const routesOfOwnRouter = (api: typeof Api) => ContractRoutes.layer(api, { ownsRouter: true })

const ask = (routesOf: typeof routes, url: string, headers: Record<string, string> = { "x-api-key": "Ada" }) =>
  Effect.scoped(
    Effect.gen(function* () {
      const app = yield* HttpRouter.toHttpEffect(
        routesOf(Api).pipe(Layer.provide(handlers), Layer.provide(guard), Layer.provide(HttpServer.layerServices))
      )
      const services = new CountedMap((yield* Effect.context<never>()).mapUnsafe)
      const request = HttpServerRequest.fromWeb(new Request(`http://localhost${url}`, { headers }))
      const context = Context.makeUnsafe<never>(services, { maxDepth: RunningContext.maxValuesBeforeCopy }).pipe(
        Context.add(HttpServerRequest.HttpServerRequest, request),
        Context.add(References.TracerEnabled, false)
      )
      const response = yield* Effect.updateContext(
        app as Effect.Effect<HttpServerResponse.HttpServerResponse>,
        (_: Context.Context<never>) => context
      )
      const web = HttpServerResponse.toWeb(response)
      return {
        copies: services.copies,
        mark: web.headers.get("x-marked"),
        status: web.status,
        text: yield* Effect.promise(() => web.text())
      }
    })
  )

it.effect(
  "if a handler returns a response, the request does not copy the Effect context with the application's services",
  () =>
    Effect.gen(function* () {
      for (const ours of [routes, routesOfOwnRouter]) {
        assert.deepStrictEqual(yield* ask(ours, "/text/7"), { copies: 0, mark: null, status: 200, text: "7" })
      }
      assert.isAbove((yield* ask(HttpApiBuilder.layer, "/text/7")).copies, 0)
    })
)

it.effect(
  "the contract's routes decode queries and encode results and errors in the same way as Effect's builder",
  () =>
    Effect.gen(function* () {
      for (const [url, headers, status] of [
        ["/value/7?size=3", { "x-api-key": "Ada" }, 200],
        ["/value/7", { "x-api-key": "Ada" }, 200],
        ["/value/7", {}, 403],
        ["/text/7", {}, 403]
      ] as const) {
        const { copies: _, ...stock } = yield* ask(HttpApiBuilder.layer, url, headers)
        assert.strictEqual(stock.status, status)
        for (const routesOf of [routes, routesOfOwnRouter]) {
          const { copies: __, ...ours } = yield* ask(routesOf, url, headers)
          assert.deepStrictEqual(ours, stock)
        }
      }
    })
)

it.effect("on a shared router, global middleware that an application adds later also runs", () =>
  Effect.gen(function* () {
    const marked = Layer.effectDiscard(
      Effect.flatMap(HttpRouter.HttpRouter, (router) =>
        router.addGlobalMiddleware((app) => Effect.map(app, HttpServerResponse.setHeader("x-marked", "yes")))
      )
    )
    const withMark = (api: typeof Api) => Layer.provideMerge(marked, ContractRoutes.layer(api)) as never
    assert.strictEqual((yield* ask(withMark, "/text/7")).mark, "yes")
  })
)
