/**
 * Serves the API description at `{api_root}/openapi.json` and the API explorer at `{api_root}/docs`. The description
 * and the explorer are public and have no rate limits. The texts of the API description are loaded at the first
 * request, so that the service starts faster.
 */
import { Policy } from "@partner-commentary/core/shared/Policy"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { httpsWebhookUrlPattern, webhookUrlPattern } from "@partner-commentary/core/webhook/WebhookUrl"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { ApiDescriptionTemplate, apiRootPlaceholder } from "./ApiDescriptionTemplate.ts"
import { computeOnce, makeStaticAsset, makeStaticAssetFromGzip, respondWithAsset, type StaticAsset } from "./Asset.ts"
import { ApiExplorerScript } from "./ExplorerProgram.ts"

const policy =
  "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data: blob:; font-src data:; worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const javascript = "text/javascript; charset=utf-8"

const page = Effect.promise(() => import("./ExplorerPage.ts"))

/**
 * Adapts the template of the API description to the deployment. For development, the contract allows webhook URLs with
 * `http:`. If the deployment requires `https:`, the description allows only `https:`.
 */
const description = (template: string, apiRoot: string, allowHttp: boolean): string => {
  const text = template.replace(JSON.stringify(apiRootPlaceholder), () => JSON.stringify(apiRoot))
  const [any, https] = [webhookUrlPattern, httpsWebhookUrlPattern].map(({ source }) => JSON.stringify(source)) as [
    string,
    string
  ]
  return allowHttp ? text : text.replaceAll(any, () => https)
}

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { apiRoot } = yield* PublicAddress
    const { allowHttp } = (yield* Policy).webhooks

    const add = Effect.fnUntraced(function* <E, R>(path: `/${string}`, made: Effect.Effect<StaticAsset, E, R>) {
      const context = yield* Effect.context<R>()
      const found = yield* computeOnce(Effect.orDie(Effect.provideContext(made, context)))
      yield* router.add(
        "GET",
        path,
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          Effect.flatMap(found, (present) => respondWithAsset(present, request))
        )
      )
    })

    // The API description is public and needs no credentials, so pages of other origins may read the API description.
    yield* add(
      "/openapi.json",
      Effect.flatMap(yield* ApiDescriptionTemplate, (template) =>
        makeStaticAsset(description(template, apiRoot, allowHttp), {
          "content-type": "application/json",
          "cache-control": "public, max-age=300",
          "access-control-allow-origin": "*"
        })
      )
    )
    yield* add(
      "/docs",
      Effect.flatMap(page, ({ explorerPageHtml }) =>
        makeStaticAsset(explorerPageHtml, {
          "content-type": "text/html; charset=utf-8",
          "cache-control": "no-cache",
          "content-security-policy": policy,
          "referrer-policy": "no-referrer",
          "x-frame-options": "DENY",
          "cross-origin-opener-policy": "same-origin"
        })
      )
    )
    yield* add(
      "/docs/explorer.js",
      Effect.flatMap(page, ({ explorerStartScript }) =>
        makeStaticAsset(explorerStartScript, { "content-type": javascript, "cache-control": "no-cache" })
      )
    )
    yield* add(
      "/docs/scalar.js",
      Effect.flatMap(yield* ApiExplorerScript, (program) =>
        makeStaticAssetFromGzip(program, { "content-type": javascript, "cache-control": "public, max-age=86400" })
      )
    )
  })
)
