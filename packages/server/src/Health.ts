/** Whether the process lives, and whether its database answers. Outside the partner API and its limits. */
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import { UsageStore } from "@partner-commentary/core/usage/UsageStore"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Envelope from "./Envelope.ts"

const live = HttpRouter.add("GET", "/healthz", Envelope.success({ status: "ok" }))

const ready = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const usage = yield* UsageStore
    const ask = usage.ofMonth(OrganizationId.make("00000000-0000-0000-0000-000000000000"), "1970-01")
    yield* router.add(
      "GET",
      "/readyz",
      Effect.matchCauseEffect(Effect.timeout(ask, "2 seconds"), {
        onSuccess: () => Effect.succeed(Envelope.success({ status: "ready" })),
        onFailure: (cause) =>
          Effect.as(
            Effect.logWarning("The database does not answer", cause),
            HttpServerResponse.setStatus(Envelope.success({ status: "unavailable" }), 503)
          )
      })
    )
  })
)

export const layer = Layer.merge(live, ready)
