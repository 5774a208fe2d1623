/**
 * An Effect application with its own database, which also contains the service's tables. The service's routes are
 * below a path. The application calls a use case of the service as a function, in one transaction with its own
 * change.
 */
import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Core from "@partner-commentary/core/Core"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { resolveLimits } from "@partner-commentary/core/partner/Plan"
import { Personas } from "@partner-commentary/core/persona/Personas"
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import { Transaction } from "@partner-commentary/core/shared/Transaction"
import { Topics } from "@partner-commentary/core/topic/Topics"
import { layerWithoutServerSpans } from "@partner-commentary/server/creator/CreatorRequest"
import * as Mounted from "@partner-commentary/server/Mounted"
import * as Migrations from "@partner-commentary/sql/Migrations"
import * as Stores from "@partner-commentary/sql/Stores"
import * as SqliteClient from "@partner-commentary/sqlite/SqliteClient"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as SqlClient from "effect/sql/SqlClient"
import { partnerCommentary } from "partner-commentary"

export interface ExampleApplicationOptions {
  readonly port: number
  /** The URL of the service below a path of the application, such as `https://app.example/commentary`. */
  readonly apiRoot: string
  readonly filename: string
  readonly outbox: string
  readonly secret: string
  /** The id of the organization for which the application submits topics. */
  readonly newsroom: string
}

// #region submit-article
/** In one transaction, submits an article to all personas of the newsroom and stores the topic's id with it. */
export const submitArticle = Effect.fn("submitArticle")(function* (newsroom: string, article: string) {
  const sql = yield* SqlClient.SqlClient
  const topics = yield* Topics
  const organization = Option.getOrThrow(yield* (yield* OrganizationStore).find(OrganizationId.make(newsroom)))
  const personas = yield* (yield* Personas).list({ organizationId: organization.id, environment: "live" })
  const [found] = yield* sql<{ readonly title: string }>`SELECT title FROM articles WHERE id = ${article}`
  const submission = yield* topics.prepare(
    { organization, environment: "live", limits: resolveLimits(organization) },
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
      const services = yield* Effect.context<Effect.Services<ReturnType<typeof submitArticle>>>()
      yield* router.add(
        "POST",
        "/articles/:id/ask",
        Effect.gen(function* () {
          const { id = "" } = yield* HttpRouter.params
          return HttpServerResponse.jsonUnsafe({ topic: yield* submitArticle(newsroom, id) })
        }).pipe(Effect.provideContext(services), Effect.orDie)
      )
    })
  )

// #region mount
/** The service's tables are in your own database. One SQL client runs your queries and the service's queries. */
const database = (filename: string) =>
  Layer.merge(Stores.layer, Core.layerProcess).pipe(
    Layer.provideMerge(Migrations.layer),
    Layer.provideMerge(SqliteClient.layer({ filename }))
  )

export const createExampleApplication = ({
  apiRoot,
  filename,
  newsroom,
  outbox,
  port,
  secret
}: ExampleApplicationOptions) => {
  const pc = partnerCommentary({
    url: apiRoot,
    secret,
    database: database(filename),
    mail: { outbox },
    development: true
  })
  return HttpRouter.serve(Layer.merge(yourRoutes(newsroom), Mounted.layer)).pipe(
    Layer.provideMerge(Layer.merge(pc.layer, layerWithoutServerSpans)),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port, host: "127.0.0.1" }))
  )
}
// #endregion
