/** Extracts Scalar's script from the three-megabyte HTML page that Effect generates. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiScalar from "effect/http-api/HttpApiScalar"
import * as Layer from "effect/Layer"

const path = "/docs"

/**
 * A separate router serves Effect's explorer page, so that the service's own router has no route for Effect's page.
 */
const page = HttpApiScalar.layer(HttpApi.make("nothing"), { path }).pipe(
  Layer.provideMerge(Layer.fresh(HttpRouter.layer))
)

/**
 * A text in Scalar's page that looks like an API key. The explorer shows a key prefix instead of the text that looks
 * like an API key.
 */
const joke = "QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT"

export const extractExplorerScript: Effect.Effect<string> = Effect.scoped(
  Effect.gen(function* () {
    const router = Context.get(yield* Layer.build(page), HttpRouter.HttpRouter)
    const request = HttpServerRequest.fromWeb(new Request(`http://localhost${path}`))
    const response = yield* Effect.provideService(router.asHttpEffect(), HttpServerRequest.HttpServerRequest, request)
    const html = response.body._tag === "Uint8Array" ? new TextDecoder().decode(response.body.body) : ""
    const start = html.indexOf("<script>") + "<script>".length
    const end = html.indexOf("</script>", start)
    return end > start
      ? html.slice(start, end).replaceAll(joke, "pk_test_...")
      : yield* Effect.die("Effect's explorer page holds no script")
  })
).pipe(Effect.orDie)
