/** Whether the process lives, and whether its database answers. Outside the partner API and its limits. */
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Envelope from "./Envelope.ts"
import * as Probe from "./Probe.ts"

const live = HttpRouter.add("GET", "/healthz", Envelope.success({ status: "ok" }))

const ready = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const mails = yield* MailStore
    yield* router.add(
      "GET",
      "/readyz",
      Effect.matchCauseEffect(Probe.within("2 seconds", mails.nextDue), {
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
