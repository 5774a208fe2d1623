/** Every route as one layer that requires the core's use cases. How it is served is a host's. */
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import { Admission } from "./Admission.ts"
import * as ApiKeyHandlers from "./ApiKeyHandlers.ts"
import * as Authentication from "./Authentication.ts"
import * as Avatar from "./Avatar.ts"
import * as BulkHandlers from "./BulkHandlers.ts"
import * as CommentaryHandlers from "./CommentaryHandlers.ts"
import * as CreatorRoutes from "./creator/CreatorRoutes.ts"
import * as DashboardAuthentication from "./DashboardAuthentication.ts"
import * as DeliveryHandlers from "./DeliveryHandlers.ts"
import * as DescriptionRoutes from "./description/DescriptionRoutes.ts"
import * as EventHandlers from "./EventHandlers.ts"
import * as Health from "./Health.ts"
import * as MetricsHandlers from "./MetricsHandlers.ts"
import * as PersonaHandlers from "./PersonaHandlers.ts"
import * as Responses from "./Responses.ts"
import * as SandboxHandlers from "./SandboxHandlers.ts"
import * as TopicHandlers from "./TopicHandlers.ts"
import * as UsageHandlers from "./UsageHandlers.ts"
import * as WebhookHandlers from "./WebhookHandlers.ts"

const handlers = Layer.mergeAll(
  TopicHandlers.layer,
  BulkHandlers.layer,
  CommentaryHandlers.layer,
  PersonaHandlers.layer,
  UsageHandlers.layer,
  MetricsHandlers.layer,
  WebhookHandlers.layer,
  DeliveryHandlers.layer,
  EventHandlers.layer,
  ApiKeyHandlers.layer,
  SandboxHandlers.layer
)

const partnerApi = HttpApiBuilder.layer(PartnerApi).pipe(
  Layer.provide(handlers),
  Layer.provide([Authentication.layer, DashboardAuthentication.layer])
)

export const layer = Layer.mergeAll(
  partnerApi,
  CreatorRoutes.layer,
  DescriptionRoutes.layer,
  Avatar.layer,
  Health.layer
).pipe(Layer.provide(Responses.layer), Layer.provide(Admission.layer))

/** What the router must know: paths are case-sensitive, a slash more is another path, and a reference fits in however it is escaped. */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 2048
}
