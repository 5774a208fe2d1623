/** All use cases as one layer. It requires ports only: stores, mailer, generator, signing secrets and the public address. */
import * as Layer from "effect/Layer"
import { ApiKeys } from "./access/ApiKeys.ts"
import { Drafting } from "./commentary/Drafting.ts"
import { CreatorDesk } from "./creator/CreatorDesk.ts"
import { CreatorLinks } from "./creator/CreatorLinks.ts"
import { Creators } from "./creator/Creators.ts"
import { Idempotency } from "./idempotency/Idempotency.ts"
import { Postman } from "./mail/Postman.ts"
import { Personas } from "./persona/Personas.ts"
import { Seal } from "./shared/Seal.ts"
import { Topics } from "./topic/Topics.ts"
import { Wakeups } from "./topic/Wakeups.ts"

export const layer = Layer.mergeAll(
  ApiKeys.layer,
  Creators.layer,
  CreatorDesk.layer,
  Drafting.layer,
  Idempotency.layer,
  Personas.layer,
  Postman.layer,
  Topics.layer,
  Wakeups.layer
).pipe(Layer.provide(CreatorLinks.layer), Layer.provideMerge(Seal.layer))
