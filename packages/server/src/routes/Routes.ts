/** Combines all routes in one layer. The layer requires the use cases of the core. */
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import * as Layer from "effect/Layer"
import * as CreatorRoutes from "../creator-portal/CreatorRoutes.ts"
import * as ContractRoutes from "../http/ContractRoutes.ts"
import * as Authentication from "../middleware/Authentication.ts"
import { Authorization } from "../middleware/Authorization.ts"
import * as DashboardAuthentication from "../middleware/DashboardAuthentication.ts"
import * as Responses from "../middleware/Responses.ts"
import * as DescriptionRoutes from "../openapi/DescriptionRoutes.ts"
import * as ApiKeyHandlers from "./api-keys/ApiKeyHandlers.ts"
import * as BulkHandlers from "./bulk/BulkHandlers.ts"
import * as CommentaryHandlers from "./commentaries/CommentaryHandlers.ts"
import * as DeliveryHandlers from "./deliveries/DeliveryHandlers.ts"
import * as EventHandlers from "./events/EventHandlers.ts"
import * as Health from "./health/Health.ts"
import * as MeHandlers from "./me/MeHandlers.ts"
import * as MetricsHandlers from "./metrics/MetricsHandlers.ts"
import * as Avatar from "./personas/Avatar.ts"
import * as PersonaHandlers from "./personas/PersonaHandlers.ts"
import * as SandboxHandlers from "./sandbox/SandboxHandlers.ts"
import * as TopicHandlers from "./topics/TopicHandlers.ts"
import * as UsageHandlers from "./usage/UsageHandlers.ts"
import * as WebhookHandlers from "./webhooks/WebhookHandlers.ts"
import * as WebhookSources from "./webhooks/WebhookSources.ts"

const handlers = Layer.mergeAll(
  TopicHandlers.layer,
  BulkHandlers.layer,
  CommentaryHandlers.layer,
  PersonaHandlers.layer,
  UsageHandlers.layer,
  MetricsHandlers.layer,
  MeHandlers.layer,
  WebhookHandlers.layer,
  DeliveryHandlers.layer,
  EventHandlers.layer,
  ApiKeyHandlers.layer,
  SandboxHandlers.layer
)

const make = (options: ContractRoutes.ContractRoutesOptions) => {
  const partnerApi = ContractRoutes.layer(PartnerApi, options).pipe(
    Layer.provide(handlers),
    Layer.provide([Authentication.layer, DashboardAuthentication.layer])
  )
  return Layer.mergeAll(
    partnerApi,
    CreatorRoutes.layer,
    DescriptionRoutes.layer,
    Avatar.layer,
    Health.layer,
    WebhookSources.layer
  ).pipe(Layer.provide(Responses.layer), Layer.provide(Authorization.layer))
}

/** The routes for a router that an application shares with its own routes and middleware. */
export const layer = make({})

/**
 * The routes for a router of their own, without a prefix and without other middleware. Requests to the partner API are
 * faster than with `layer`, because most requests skip the router's search and all middleware that it would run.
 */
export const layerOwnRouter = make({ ownsRouter: true })

/**
 * The settings of the router. Paths are case-sensitive, and an extra slash makes a different path. The maximum
 * parameter length allows an external reference in which every character is percent-encoded.
 */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 2048
}
