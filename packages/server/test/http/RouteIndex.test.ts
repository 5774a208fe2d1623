/** Tests that the index finds the same route and parameters as Effect's router, or leaves the path to the router. */
import { assert, it } from "@effect/vitest"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Option from "effect/Option"
import * as RouteIndex from "../../src/http/RouteIndex.ts"
import { routerConfig } from "../../src/routes/Routes.ts"

const answer = Effect.withFiber(({ context }: { readonly context: Context.Context<never> }) => {
  const { params, route } = Context.getUnsafe(context, HttpRouter.RouteContext)
  return Effect.succeed(HttpServerResponse.text(JSON.stringify([route.method, route.path, params])))
})

const routes = Object.values(PartnerApi.groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ method, path }) => HttpRouter.route(method, path as `/${string}`, answer))
)

const find = RouteIndex.make(routes)

const describe = (method: string, path: string) =>
  Option.map(Option.fromUndefinedOr(find(method, path)), ({ params, route }) => [route.method, route.path, params])

const askRouter = (app: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>, method: string, path: string) =>
  app.pipe(
    Effect.provideService(
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(new Request("http://localhost/", { method })).modify({ url: path })
    ),
    Effect.flatMap((response) => Effect.promise(() => HttpServerResponse.toWeb(response).json())),
    Effect.option
  )

const id = "019aa0dd-c25d-7ee4-b4de-5ecb9f5fb9cd"

const paths = [
  ...new Set(routes.flatMap(({ path }) => [path.replaceAll(/:\w+/g, id), path.replaceAll(/:\w+/g, "A.b~c")])),
  "/partner/v1/topics/bulk/status",
  "/partner/v1/topics/",
  "/partner/v1//topics",
  `/partner/v1/topics/${id}/`,
  `/partner/v1/topics/${id}/Status`,
  `/partner/v1/topics//status`,
  `/partner/v1/topics/${"x".repeat(300)}/status`,
  "/partner/v1",
  "/partner/v1/unknown",
  "/",
  ""
]

it.effect("the index finds the same route and parameters as the router", () =>
  Effect.gen(function* () {
    const router = yield* HttpRouter.make
    yield* router.addAll(routes)
    const app = router.asHttpEffect() as Effect.Effect<HttpServerResponse.HttpServerResponse, unknown>
    let found = 0
    for (const path of paths) {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        const indexed = describe(method, path)
        if (Option.isNone(indexed)) continue
        found++
        assert.deepStrictEqual(indexed, yield* askRouter(app, method, path), `${method} ${path}`)
      }
    }
    assert.isAtLeast(found, routes.length)
  }).pipe(Effect.scoped, Effect.provideService(HttpRouter.RouterConfig, routerConfig))
)

it("the index leaves queries, escapes, empty and long parameters and unknown paths to the router", () => {
  for (const path of [
    "/partner/v1/topics?limit=1",
    "/partner/v1/topics/by-reference/a%20b",
    `/partner/v1/topics/${id};x/status`,
    `/partner/v1/topics/${id}#/status`,
    "/partner/v1/topics//status",
    `/partner/v1/topics/${"x".repeat(300)}/status`,
    "/partner/v1/unknown",
    "*"
  ]) {
    assert.isUndefined(find("GET", path), path)
  }
  assert.isUndefined(find("HEAD", "/partner/v1/topics"))
})
