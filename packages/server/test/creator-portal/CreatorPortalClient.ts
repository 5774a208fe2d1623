/**
 * Calls the creator routes for one assignment, as a browser or as a program. The test controls the clock of the routes.
 */
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import * as Digest from "effect/crypto/Digest"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import * as CreatorRoutes from "../../src/creator-portal/CreatorRoutes.ts"
import { creatorLinkToken, makeFakeCreatorPortal } from "./FakeCreatorPortal.ts"
import { noonInMillis } from "./Samples.ts"

export const makeCreatorPortalClient = (initial: Assignment) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noonInMillis)
    const { layer, state } = makeFakeCreatorPortal(initial)
    const http = yield* HttpRouter.toHttpEffect(
      CreatorRoutes.layer.pipe(
        Layer.provide([layer, PublicAddress.layer("https://partners.example/api"), Digest.layerWebCrypto]),
        Layer.provideMerge(HttpServer.layerServices)
      )
    )
    const handler = HttpEffect.toWebHandlerWith<never, HttpServerRequest | Scope.Scope>(yield* Effect.context<never>())(
      http
    )
    const call = (path: string, init?: RequestInit) =>
      Effect.promise(() =>
        handler(new Request(`http://test/creator/${path}`, init)).then((response) =>
          response.text().then((text) => ({
            status: response.status,
            headers: response.headers,
            text,
            json: () => JSON.parse(text)
          }))
        )
      )
    return {
      state,
      call,
      look: (headers: Record<string, string> = {}) => call(creatorLinkToken, { headers }),
      form: (action: string, fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
        call(`${creatorLinkToken}/${action}`, { method: "POST", body: new URLSearchParams(fields), headers }),
      send: (action: string, body: unknown) =>
        call(`${creatorLinkToken}/${action}`, {
          method: "POST",
          body: JSON.stringify(body),
          headers: { "content-type": "application/json" }
        })
    }
  })
