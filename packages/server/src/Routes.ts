/** Every route as one layer that requires the core's use cases. How it is served is a host's. */
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Layer from "effect/Layer"
import * as Authentication from "./Authentication.ts"
import * as Avatar from "./Avatar.ts"
import * as CreatorRoutes from "./creator/CreatorRoutes.ts"
import * as DescriptionRoutes from "./description/DescriptionRoutes.ts"
import * as Health from "./Health.ts"
import * as PersonaHandlers from "./PersonaHandlers.ts"
import * as Responses from "./Responses.ts"
import * as TopicHandlers from "./TopicHandlers.ts"

const partnerApi = HttpApiBuilder.layer(PartnerApi).pipe(
  Layer.provide([TopicHandlers.layer, PersonaHandlers.layer]),
  Layer.provide(Authentication.layer)
)

export const layer = Layer.mergeAll(
  partnerApi,
  CreatorRoutes.layer,
  DescriptionRoutes.layer,
  Avatar.layer,
  Health.layer
).pipe(Layer.provide(Responses.layer))

/** What the router must know: paths are case-sensitive, a slash more is another path, and a reference fits in however it is escaped. */
export const routerConfig = {
  caseSensitive: true,
  ignoreTrailingSlash: false,
  ignoreDuplicateSlashes: false,
  maxParamLength: 2048
}
