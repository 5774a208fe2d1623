/**
 * Serves the IP addresses from which deliveries come, so that receivers can configure their firewalls. The page with
 * the IP addresses is public and not part of the partner API. The page exists only if the operator has configured IP
 * addresses for deliveries.
 */
import { Policy } from "@partner-commentary/core/shared/Policy"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Envelope from "../../http/Envelope.ts"

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const { sources } = (yield* Policy).webhooks
    if (sources.length === 0) return
    const response = HttpServerResponse.setHeaders(Envelope.makeSuccessResponse({ addresses: sources }), {
      "cache-control": "public, max-age=300",
      "access-control-allow-origin": "*"
    })
    yield* router.add("GET", "/.well-known/webhook-sources", response)
  })
)
