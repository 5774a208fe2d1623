/** The whole service for an application that is no Effect: the one file that knows layers. The examples beside it mount what it opens. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { DashboardIdentity } from "@partner-commentary/core/access/DashboardIdentity"
import * as Core from "@partner-commentary/core/Core"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import * as LocalGenerator from "@partner-commentary/generator/LocalGenerator"
import { layerUntraced } from "@partner-commentary/server/creator/CreatorRequest"
import * as Embedded from "@partner-commentary/server/Embedded"
import * as Workers from "@partner-commentary/server/Workers"
import * as OutboxMailer from "@partner-commentary/smtp/OutboxMailer"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as NodeWebhookTransport from "@partner-commentary/webhook/NodeWebhookTransport"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

export interface Options {
  /** How partners and creators reach the service: `https://app.example`, or with a path, `https://app.example/commentary`. */
  readonly apiRoot: string
  /** A file, or `:memory:`. */
  readonly database: string
  /** A folder for the mails, until a mail server is there. */
  readonly outbox: string
  /** 32 characters or more, the same in every process: creators' links are signed with it. */
  readonly secret: string
}

// #region service
export const openService = ({ apiRoot, database, outbox, secret }: Options) =>
  Embedded.open(
    Workers.layer.pipe(
      Layer.provideMerge(Core.layer),
      Layer.provide([NodeWebhookTransport.layer({ allowPrivate: false }), DashboardIdentity.layerNone]),
      Layer.provide([LocalGenerator.layer, OutboxMailer.layer({ folder: outbox, from: "Desk <desk@example.com>" })]),
      Layer.provideMerge(PublicAddress.layer(apiRoot)),
      Layer.provide(SigningSecrets.layer(Redacted.make(secret))),
      Layer.provideMerge([Sqlite.layer({ filename: database }), Core.layerProcess, NodeCrypto.layer, layerUntraced])
    )
  )
// #endregion

export type Service = ReturnType<typeof openService>
