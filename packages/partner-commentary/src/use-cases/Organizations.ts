/** Provides `pc.organizations`, which manages the partners that call the API. */
import * as Errors from "@partner-commentary/api/Errors"
import { type IdentityTaken, OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { NewPlanLimitOverrides, type PlanLimitOverrides, PlanName } from "@partner-commentary/core/partner/Plan"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Organizations from "../administration/Organizations.ts"
import * as Text from "./Text.ts"
import { failIfNotFound, makeDecoder, OrganizationIdInput, type RunUseCase, type TransactionOption } from "./UseCase.ts"

export interface OrganizationChange {
  readonly name?: string | undefined
  readonly plan?: PlanName | undefined
  /** Limits that override limits of the plan, at most 1,000,000,000 each. */
  readonly limits?: PlanLimitOverrides | undefined
  /** The mail address that receives notices about undeliverable requests, and about new and changed webhooks. */
  readonly contact_email?: string | null | undefined
  /** The id of the organization at your identity provider, if that id differs from the organization's own id. */
  readonly identity_id?: string | null | undefined
}

export type NewOrganization = OrganizationChange & { readonly name: string }

const settings = {
  plan: Schema.optional(PlanName.annotate({ message: `must be one of ${PlanName.literals.join(", ")}` })),
  limits: Schema.optional(NewPlanLimitOverrides),
  contact_email: Schema.optional(Schema.NullOr(Text.EmailSchema)),
  identity_id: Schema.optional(Schema.NullOr(Text.NameSchema))
}

const created = makeDecoder(Schema.Struct({ name: Text.NameSchema, ...settings }))
const changed = makeDecoder(
  Schema.Struct({ organization_id: OrganizationIdInput, name: Schema.optional(Text.NameSchema), ...settings })
)
const named = makeDecoder(Schema.Struct({ organization_id: OrganizationIdInput }))

const mapIdentityTaken = <A, R>(change: Effect.Effect<A, IdentityTaken, R>) =>
  Effect.mapError(change, () =>
    Errors.InvalidRequest.of([{ field: "identity_id", constraint: "must not be another organization's" }])
  )

export const makeOrganizationUseCases = (run: RunUseCase) => ({
  create: (organization: NewOrganization, options?: TransactionOption) =>
    run(
      Effect.gen(function* () {
        const { contact_email, identity_id, limits, name, plan } = yield* created(organization)
        const wanted = {
          name,
          plan: plan ?? ("standard" as const),
          limits: limits ?? {},
          contactEmail: contact_email ?? null,
          identityId: identity_id ?? null
        }
        return Organizations.toApiOrganization(yield* mapIdentityTaken(Organizations.create(wanted)))
      }),
      options
    ),

  /**
   * Changes an organization. Fields that the input omits stay unchanged. A change of an organization takes effect
   * within seconds in every process.
   */
  update: (change: OrganizationChange & { readonly organization_id: string }, options?: TransactionOption) =>
    run(
      Effect.gen(function* () {
        const { contact_email, identity_id, limits, name, organization_id, plan } = yield* changed(change)
        const updated = Organizations.update(organization_id, (present) => ({
          ...present,
          name: name ?? present.name,
          plan: plan ?? present.plan,
          limits: limits ?? present.limits,
          contactEmail: contact_email === undefined ? present.contactEmail : contact_email,
          identityId: identity_id === undefined ? present.identityId : identity_id
        }))
        return Organizations.toApiOrganization(yield* failIfNotFound("organization")(mapIdentityTaken(updated)))
      }),
      options
    ),

  /** Lists organizations, oldest first. */
  list: () =>
    run(OrganizationRegistry.use(({ list }) => Effect.map(list, (all) => all.map(Organizations.toApiOrganization)))),

  /**
   * Suspends an organization. The organization's API keys are rejected within seconds, and running workflows continue.
   */
  suspend: (organization: { readonly organization_id: string }, options?: TransactionOption) =>
    run(
      Effect.flatMap(named(organization), ({ organization_id }) =>
        Effect.map(
          failIfNotFound("organization")(mapIdentityTaken(Organizations.suspend(organization_id))),
          Organizations.toApiOrganization
        )
      ),
      options
    ),

  resume: (organization: { readonly organization_id: string }, options?: TransactionOption) =>
    run(
      Effect.flatMap(named(organization), ({ organization_id }) =>
        Effect.map(
          failIfNotFound("organization")(mapIdentityTaken(Organizations.resume(organization_id))),
          Organizations.toApiOrganization
        )
      ),
      options
    )
})
