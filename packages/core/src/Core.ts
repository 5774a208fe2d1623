/** All use cases as one layer. It requires ports only: stores, mailer, generator, webhook transport, signing secrets and the public address. */
import * as Layer from "effect/Layer"
import { ApiKeys } from "./access/ApiKeys.ts"
import { RateLimits } from "./access/RateLimits.ts"
import { Drafting } from "./commentary/Drafting.ts"
import { PartnerApproval } from "./commentary/PartnerApproval.ts"
import { CreatorDesk } from "./creator/CreatorDesk.ts"
import { CreatorLinks } from "./creator/CreatorLinks.ts"
import { Creators } from "./creator/Creators.ts"
import { Postman } from "./mail/Postman.ts"
import { Performance } from "./performance/Performance.ts"
import { Personas } from "./persona/Personas.ts"
import { SimulatedCreators } from "./sandbox/SimulatedCreators.ts"
import { Seal } from "./shared/Seal.ts"
import { Topics } from "./topic/Topics.ts"
import { Wakeups } from "./topic/Wakeups.ts"
import { ApiCalls } from "./usage/ApiCalls.ts"
import { Usage } from "./usage/Usage.ts"
import { Webhooks } from "./webhook/Webhooks.ts"

export const layer = Layer.mergeAll(
  ApiKeys.layer,
  Creators.layer,
  CreatorDesk.layer,
  Drafting.layer,
  PartnerApproval.layer,
  Performance.layer,
  Personas.layer,
  Postman.layer,
  RateLimits.layer,
  Topics.layer,
  Usage.layer,
  Wakeups.layer,
  Webhooks.layer
).pipe(
  Layer.provide(CreatorLinks.layer),
  Layer.provideMerge(Layer.mergeAll(ApiCalls.layer, Seal.layer, SimulatedCreators.layer))
)
