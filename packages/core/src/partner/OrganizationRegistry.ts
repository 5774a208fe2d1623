/** The port that registers and changes organizations in the tables of this service. The command line uses this port. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { OrganizationId } from "../shared/Ids.ts"
import type { Organization } from "./Organization.ts"

/**
 * Another organization already uses this value as its identity id or as its own id. A dashboard token would then be
 * ambiguous.
 */
export class IdentityTaken extends Schema.TaggedError<IdentityTaken>()("IdentityTaken", {
  identityId: Schema.String
}) {}

export class OrganizationRegistry extends Context.Service<
  OrganizationRegistry,
  {
    readonly insert: (organization: Organization) => Effect.Effect<void, IdentityTaken>
    /** Applies the change in one transaction. Returns none when the organization does not exist. */
    readonly update: (
      id: OrganizationId,
      change: (present: Organization) => Organization
    ) => Effect.Effect<Option.Option<Organization>, IdentityTaken>
    /** All organizations, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Organization>>
  }
>()("@partner-commentary/core/partner/OrganizationRegistry") {}
