/**
 * The port that reads organizations. An embedder may replace OrganizationStore. The default implementation of
 * OrganizationStore reads the table that OrganizationRegistry writes. An organization's id must be a lower-case UUID,
 * because keys and topics store the id. OrganizationStore also returns suspended organizations, with the time of
 * suspension.
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
    /** Finds an organization by its exact id at the dashboard's identity provider. */
    readonly findByIdentity: (identityId: string) => Effect.Effect<Option.Option<Organization>>
  }
>()("@partner-commentary/core/partner/OrganizationStore") {}
