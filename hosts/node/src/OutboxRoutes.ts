/** The local outbox as pages, in development only. What they show is the server's, where mails lie the mail adapter's. */

import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { outboxMailPage, outboxPage } from "@partner-commentary/server/creator/OutboxPage"
import { pageHeaders } from "@partner-commentary/server/creator/PageDocument"
import * as Outbox from "@partner-commentary/smtp/Outbox"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as DataFolder from "./DataFolder.ts"

export const layer = HttpRouter.use((router) =>
  Effect.gen(function* () {
    const outbox = yield* Outbox.Outbox
    const headers = yield* pageHeaders
    const { apiRoot } = yield* PublicAddress
    const address = `${new URL(apiRoot).pathname.replace(/\/$/, "")}/dev/outbox`
    const page = (html: string) => HttpServerResponse.setHeaders(HttpServerResponse.html(html), headers)
    yield* router.add(
      "GET",
      "/dev/outbox",
      Effect.map(outbox.list, (mails) => page(outboxPage(mails, address)))
    )
    yield* router.add(
      "GET",
      "/dev/outbox/:file",
      Effect.gen(function* () {
        const { file = "" } = yield* HttpRouter.params
        const mail = yield* outbox.find(file)
        return Option.match(mail, {
          onNone: () => HttpServerResponse.redirect(address, { status: 303 }),
          onSome: (found) => page(outboxMailPage(found, address))
        })
      })
    )
  })
).pipe(Layer.provide(Outbox.layer({ folder: DataFolder.outbox })))
