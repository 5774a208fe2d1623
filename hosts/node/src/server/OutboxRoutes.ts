/** Serves pages that show the local outbox, in development only. */

import { NotFound } from "@partner-commentary/api/Errors"
import { isLoopbackHost } from "@partner-commentary/core/shared/Loopback"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { renderOutboxMailPage, renderOutboxPage } from "@partner-commentary/server/creator-portal/OutboxPage"
import { pageResponseHeaders } from "@partner-commentary/server/creator-portal/PageDocument"
import { makeFailureResponse } from "@partner-commentary/server/http/Envelope"
import * as Outbox from "@partner-commentary/smtp/Outbox"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as DataFolder from "../app/DataFolder.ts"

/**
 * Returns whether a request may read the outbox. The outbox contains links with credentials, so requests from other
 * machines, through proxies or with other host names are refused.
 */
const isFromThisMachine = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): boolean => {
  const host = URL.parse(`http://${headers["host"] ?? ""}`)?.hostname ?? ""
  return (
    Option.exists(remoteAddress, isLoopbackHost) &&
    isLoopbackHost(host) &&
    !("x-forwarded-for" in headers) &&
    !("forwarded" in headers)
  )
}

const notLocal = makeFailureResponse(
  NotFound.of("The local outbox is read on the machine that it lies on, at a loopback address.")
)

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const outbox = yield* Outbox.Outbox
    const headers = yield* pageResponseHeaders
    const { apiRoot } = yield* PublicAddress
    const address = `${new URL(apiRoot).pathname.replace(/\/$/, "")}/dev/outbox`
    const page = (html: string) => HttpServerResponse.setHeaders(HttpServerResponse.html(html), headers)
    const locally = <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        isFromThisMachine(request) ? answer : Effect.succeed(notLocal)
      )
    yield* router.add(
      "GET",
      "/dev/outbox",
      locally(Effect.map(outbox.list, (mails) => page(renderOutboxPage(mails, address))))
    )
    yield* router.add(
      "GET",
      "/dev/outbox/:file",
      locally(
        Effect.gen(function* () {
          const { file = "" } = yield* HttpRouter.params
          const mail = yield* outbox.find(file)
          return Option.match(mail, {
            onNone: () => HttpServerResponse.redirect(address, { status: 303 }),
            onSome: (found) => page(renderOutboxMailPage(found, address))
          })
        })
      )
    )
  })
).pipe(Layer.provide(Outbox.layer({ folder: DataFolder.outboxFolder })))
