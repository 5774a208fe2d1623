/** The port that registers and changes partners where this service keeps them itself. The command line is its user. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { OrganizationId } from "../shared/Ids.ts"
import type { Organization } from "./Organization.ts"

/** Another organization has this identity id, or is named so itself: a token that says it would be taken for that one's. */
export class IdentityTaken extends Schema.TaggedError<IdentityTaken>()("IdentityTaken", {
  identityId: Schema.String
}) {}

export class OrganizationRegistry extends Context.Service<
  OrganizationRegistry,
  {
    readonly insert: (organization: Organization) => Effect.Effect<void, IdentityTaken>
    /** Applies the change to the present value, as one transaction; none when there is no such organization. */
    readonly update: (
      id: OrganizationId,
      change: (present: Organization) => Organization
    ) => Effect.Effect<Option.Option<Organization>, IdentityTaken>
    /** Oldest first. */
    readonly list: Effect.Effect<ReadonlyArray<Organization>>
  }
>()("@partner-commentary/core/partner/OrganizationRegistry") {}
