/**
 * The port through which the service knows its partners. An embedder may bring its own; registering is OrganizationRegistry's.
 * An organization's id is a UUID in lower case: so keys and topics name it. Suspended ones are given too, with the moment.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId } from "../shared/Ids.ts"
import type { Organization } from "./Organization.ts"

export class OrganizationStore extends Context.Service<
  OrganizationStore,
  {
    readonly find: (id: OrganizationId) => Effect.Effect<Option.Option<Organization>>
    /** By what the dashboard's identity provider calls it, in that very spelling. */
    readonly findByIdentity: (identityId: string) => Effect.Effect<Option.Option<Organization>>
  }
>()("@partner-commentary/core/partner/OrganizationStore") {}
