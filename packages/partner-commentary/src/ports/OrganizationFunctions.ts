/** Implements OrganizationStore by calling async functions that read the application's own tables. */
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { PlanLimitOverrides, PlanName } from "@partner-commentary/core/partner/Plan"
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import {
  callHostFunction,
  convertFailureToDefect,
  type HostFunctionContext,
  makeHostIdSchema,
  makeResultDecoder
} from "./HostFunction.ts"
import { type HostDate, HostDateSchema } from "./Moment.ts"

/** A partner in the application's tables, with the field names of the API. */
export interface HostOrganization {
  /** The organization's id, which is a UUID in lower case and must never change. */
  readonly id: string
  readonly name: string
  readonly plan?: PlanName | undefined
  readonly limits?: PlanLimitOverrides | undefined
  readonly contact_email?: string | null | undefined
  /** The id of the organization at your identity provider, if that id differs from `id`. */
  readonly identity_id?: string | null | undefined
  /**
   * The time at which the organization was suspended. While `suspended_at` is set, every API key of the organization is
   * rejected.
   */
  readonly suspended_at?: HostDate | string | null | undefined
  readonly created_at: HostDate | string
}

type Found = HostOrganization | null | undefined

/**
 * The functions that read organizations. The functions must also return suspended organizations, with the time of
 * suspension.
 */
export interface OrganizationReader {
  readonly find: (id: string, context: HostFunctionContext) => Found | PromiseLike<Found>
  /**
   * Finds an organization by the exact spelling of its `identity_id`. Omit `findByIdentity` if no organization has an
   * `identity_id`.
   */
  readonly findByIdentity?:
    | ((identityId: string, context: HostFunctionContext) => Found | PromiseLike<Found>)
    | undefined
}

const maybe = <S extends Schema.Top>(schema: S) => Schema.optional(Schema.NullOr(schema))

const Kept = Schema.Struct({
  id: makeHostIdSchema(OrganizationId),
  name: Schema.NonEmptyString,
  plan: Schema.optional(PlanName),
  limits: Schema.optional(PlanLimitOverrides),
  contact_email: maybe(Schema.String),
  identity_id: maybe(Schema.String),
  suspended_at: maybe(HostDateSchema),
  created_at: HostDateSchema
})

const toOrganization = (kept: typeof Kept.Type) => ({
  id: kept.id,
  name: kept.name,
  plan: kept.plan ?? ("standard" as const),
  limits: kept.limits ?? {},
  contactEmail: kept.contact_email ?? null,
  identityId: kept.identity_id ?? null,
  suspendedAt: kept.suspended_at ?? null,
  createdAt: kept.created_at
})

const one = makeResultDecoder(Schema.NullishOr(Kept))

export const layer = ({ find, findByIdentity }: OrganizationReader) => {
  const read = (look: NonNullable<OrganizationReader["findByIdentity"]>) => (id: string) =>
    callHostFunction((context) => look(id, context), "10 seconds").pipe(
      Effect.flatMap(one),
      convertFailureToDefect("organizations"),
      Effect.map((found) => Option.map(Option.fromNullishOr(found), toOrganization))
    )
  return Layer.succeed(OrganizationStore, {
    find: read(find),
    findByIdentity: findByIdentity === undefined ? () => Effect.succeedNone : read(findByIdentity)
  })
}
