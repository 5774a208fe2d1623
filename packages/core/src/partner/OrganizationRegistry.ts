/** The port with which the command line registers and changes organizations that this service stores. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { OrganizationId } from "../shared/Ids.ts"
import type { Organization } from "./Organization.ts"

/**
 * Another organization already has this value as its `identityId` or as its `id`. If two organizations had the same
 * identity id, a dashboard token would not identify one organization.
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
    /** Lists all organizations, oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Organization>>
  }
>()("@partner-commentary/core/partner/OrganizationRegistry") {}
