/** The whole service inside an application of one's own: its routes beside yours on one server, its workers in the same process. */
import { createServer } from "node:http"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { DashboardIdentity } from "@partner-commentary/core/access/DashboardIdentity"
import * as Core from "@partner-commentary/core/Core"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import * as LocalGenerator from "@partner-commentary/generator/LocalGenerator"
import { layerUntraced } from "@partner-commentary/server/creator/CreatorRequest"
import * as Routes from "@partner-commentary/server/Routes"
import * as Workers from "@partner-commentary/server/Workers"
import * as OutboxMailer from "@partner-commentary/smtp/OutboxMailer"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as NodeWebhookTransport from "@partner-commentary/webhook/NodeWebhookTransport"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"

export interface Options {
  readonly port: number
  /** `{api_root}`: how creators reach this server from their mails. */
  readonly apiRoot: string
  readonly filename: string
  readonly outbox: string
  readonly secret: Redacted.Redacted<string>
}

const yourRoutes = HttpRouter.add("GET", "/", HttpServerResponse.text("Your application."))

// #region embed
export const application = ({ apiRoot, filename, outbox, port, secret }: Options) =>
  HttpRouter.serve(Layer.merge(yourRoutes, Routes.layer), { routerConfig: Routes.routerConfig }).pipe(
    Layer.merge(Workers.layer),
    Layer.provideMerge(Core.layer),
    Layer.provide([NodeWebhookTransport.layer({ allowPrivate: false }), DashboardIdentity.layerNone]),
    Layer.provide([LocalGenerator.layer, OutboxMailer.layer({ folder: outbox, from: "Desk <desk@example.com>" })]),
    Layer.provide([PublicAddress.layer(apiRoot), SigningSecrets.layer(secret)]),
    Layer.provideMerge([Sqlite.layer({ filename }), Core.layerProcess, NodeCrypto.layer, layerUntraced]),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port, host: "127.0.0.1" }))
  )
// #endregion
