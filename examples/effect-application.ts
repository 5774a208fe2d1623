/**
 * An Effect application with its own database, which also contains the service's tables. The service's routes are below a path.
 * The application calls a use case of the service as a function, in one transaction with its own change.
 */
import { createServer } from "node:http"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { DashboardIdentity } from "@partner-commentary/core/access/DashboardIdentity"
import * as Core from "@partner-commentary/core/Core"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { limitsOf } from "@partner-commentary/core/partner/Plan"
import { Personas } from "@partner-commentary/core/persona/Personas"
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import { Transaction } from "@partner-commentary/core/shared/Transaction"
import { Topics } from "@partner-commentary/core/topic/Topics"
import * as LocalGenerator from "@partner-commentary/generator/LocalGenerator"
import { layerUntraced } from "@partner-commentary/server/creator/CreatorRequest"
import * as Mounted from "@partner-commentary/server/Mounted"
import * as Workers from "@partner-commentary/server/Workers"
import * as OutboxMailer from "@partner-commentary/smtp/OutboxMailer"
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as Stores from "@partner-commentary/sql/Stores"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as NodeWebhookTransport from "@partner-commentary/webhook/NodeWebhookTransport"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as SqlClient from "effect/sql/SqlClient"

export interface Options {
  readonly port: number
  /** The service's URL below the application's path: `https://app.example/commentary`. */
  readonly apiRoot: string
  readonly filename: string
  readonly outbox: string
  readonly secret: Redacted.Redacted<string>
  /** The id of the organization for which the application submits topics. */
  readonly newsroom: string
}

// #region ask
/** Submits an article to every persona of the newsroom and stores the topic's id beside it, in one transaction. */
export const ask = Effect.fn("ask")(function* (newsroom: string, article: string) {
  const sql = yield* SqlClient.SqlClient
  const topics = yield* Topics
  const organization = Option.getOrThrow(yield* (yield* OrganizationStore).find(OrganizationId.make(newsroom)))
  const personas = yield* (yield* Personas).list({ organizationId: organization.id, environment: "live" })
  const [found] = yield* sql<{ readonly title: string }>`SELECT title FROM articles WHERE id = ${article}`
  const submission = yield* topics.prepare(
    { organization, environment: "live", limits: limitsOf(organization) },
    {
      content: found?.title ?? "",
      personaIds: personas.map(({ id }) => id),
      externalReference: article,
      outputTypes: ["text"],
      metadata: {}
    }
  )
  const { topic } = yield* (yield* Transaction).run(
    Effect.tap(topics.submit(submission), ({ topic }) =>
      sql`UPDATE articles SET topic = ${topic.id} WHERE id = ${article}`.pipe(Effect.orDie)
    )
  )
  return topic.id
})
// #endregion

const yourRoutes = (newsroom: string) =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const services = yield* Effect.context<Effect.Services<ReturnType<typeof ask>>>()
      yield* router.add(
        "POST",
        "/articles/:id/ask",
        Effect.gen(function* () {
          const { id = "" } = yield* HttpRouter.params
          return HttpServerResponse.jsonUnsafe({ topic: yield* ask(newsroom, id) })
        }).pipe(Effect.provideContext(services), Effect.orDie)
      )
    })
  )

// #region mount
export const application = ({ apiRoot, filename, newsroom, outbox, port, secret }: Options) =>
  HttpRouter.serve(Layer.merge(yourRoutes(newsroom), Mounted.layer)).pipe(
    Layer.merge(Workers.layer),
    Layer.provideMerge(Core.layer),
    Layer.provide([NodeWebhookTransport.layer({ allowPrivate: false }), DashboardIdentity.layerNone]),
    Layer.provide([LocalGenerator.layer, OutboxMailer.layer({ folder: outbox, from: "Desk <desk@example.com>" })]),
    Layer.provide([PublicAddress.layer(apiRoot), SigningSecrets.layer(secret)]),
    Layer.provideMerge([Stores.layer, Core.layerProcess, NodeCrypto.layer, layerUntraced]),
    Layer.provideMerge(Migrations.layer),
    // Your own database client, which your application also uses for its own queries.
    Layer.provideMerge(SqliteClient.layer({ filename })),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port, host: "127.0.0.1" }))
  )
// #endregion
