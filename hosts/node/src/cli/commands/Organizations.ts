/** Defines the commands `org …`, which manage organizations. */

import { allScopes } from "@partner-commentary/core/access/Scope"
import type { Organization } from "@partner-commentary/core/partner/Organization"
import { type IdentityTaken, OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { type PlanLimitName, type PlanLimitOverrides, PlanName } from "@partner-commentary/core/partner/Plan"
import { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Parser from "@partner-commentary/settings/Parser"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Organizations from "partner-commentary/administration/Organizations"
import * as Administration from "../Administration.ts"
import { CommandFailed, failWithUsageErrorIf } from "../CommandFailed.ts"
import { formatFields, formatTable, printResult } from "../Output.ts"
import * as Parameter from "../Parameter.ts"

const settings = {
  plan: Parameter.declareOptionalFlag(
    "plan",
    Parser.makeOneOfParser(PlanName.literals),
    "PLAN",
    "standard (the default) or premium"
  ),
  contactEmail: Parameter.declareOptionalFlag(
    "contact-email",
    Parser.makeNullableParser(Parser.emailParser),
    "EMAIL",
    "The contact for mails about undeliverable requests and new webhooks"
  ),
  identityId: Parameter.declareOptionalFlag(
    "identity-id",
    Parser.makeNullableParser(Parser.nameParser),
    "ID",
    "The organization's id at the dashboard's identity provider"
  ),
  limits: Parameter.declareRepeatedFlag(
    "limit",
    Parser.limitOverrideParser,
    "NAME=VALUE",
    "A limit that replaces the plan's limit. Can be given several times"
  )
}

const id = Parameter.declarePositionalArgument("id", Parser.makeIdParser(OrganizationId), "The organization's id")

const create = Command.make(
  "create",
  {
    name: Parameter.declareRequiredFlag("name", Parser.nameParser, "NAME", "The name that creators see"),
    ...settings
  },
  Effect.fn(function* (wanted) {
    const organization = yield* Effect.mapError(
      Organizations.create({
        name: wanted.name,
        plan: Option.getOrElse(wanted.plan, () => "standard" as const),
        limits: changedLimits({}, wanted.limits),
        contactEmail: Option.getOrNull(wanted.contactEmail),
        identityId: Option.getOrNull(wanted.identityId)
      }),
      makeIdentityTakenFailure
    )
    yield* printResult({
      json: () => Organizations.toApiOrganization(organization),
      text: () => [
        `Created the organization ${organization.name}.`,
        ...details(organization),
        `Next: partner-commentary key create --org ${organization.id} --name NAME --scopes ${allScopes.join()}`
      ]
    })
  }, Effect.provide(Administration.layerCreatingSchema))
).pipe(Command.withDescription("Register a partner"))

const update = Command.make(
  "update",
  {
    id,
    name: Parameter.declareOptionalFlag(
      "name",
      Parser.nameParser,
      "NAME",
      "The name that creators see from the next topic on"
    ),
    ...settings
  },
  Effect.fn(
    function* (wanted) {
      const { contactEmail, identityId, limits, name, plan } = wanted
      const organization = yield* found(
        wanted.id,
        Organizations.update(wanted.id, (present) => ({
          ...present,
          name: Option.getOrElse(name, () => present.name),
          plan: Option.getOrElse(plan, () => present.plan),
          contactEmail: Option.getOrElse(contactEmail, () => present.contactEmail),
          identityId: Option.getOrElse(identityId, () => present.identityId),
          limits: changedLimits(present.limits, limits)
        }))
      )
      yield* printResult({
        json: () => Organizations.toApiOrganization(organization),
        text: () => [`Updated the organization ${organization.name}.`, ...details(organization)]
      })
    },
    Effect.provide(Administration.layer),
    (updating, { contactEmail, identityId, limits, name, plan }) =>
      Effect.andThen(
        failWithUsageErrorIf(
          [contactEmail, identityId, name, plan].every(Option.isNone) && limits.length === 0,
          "Say what to change: --name, --plan, --contact-email, --identity-id or --limit."
        ),
        updating
      )
  )
).pipe(Command.withDescription("Change a partner. Omitted values stay unchanged"))

const list = Command.make(
  "list",
  {},
  Effect.fn(function* () {
    const organizations = yield* (yield* OrganizationRegistry).list
    yield* printResult({
      json: () => organizations.map(Organizations.toApiOrganization),
      text: () =>
        formatTable(
          ["id", "name", "plan", "contact", "state"],
          organizations.map((one) => [
            one.id,
            one.name,
            one.plan,
            one.contactEmail ?? "",
            one.suspendedAt === null ? "active" : "suspended"
          ]),
          "There are no organizations yet. Next: partner-commentary org create --name NAME"
        )
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("List partners, oldest first"))

const suspend = Command.make(
  "suspend",
  { id },
  Effect.fn(function* (wanted) {
    const organization = yield* found(wanted.id, Organizations.suspend(wanted.id))
    yield* printResult({
      json: () => Organizations.toApiOrganization(organization),
      text: () => [
        `Suspended ${organization.name}: its keys are refused within seconds, and its open requests continue.`
      ]
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("Refuse every key of a partner. Open requests continue"))

const resume = Command.make(
  "resume",
  { id },
  Effect.fn(function* (wanted) {
    const organization = yield* found(wanted.id, Organizations.resume(wanted.id))
    yield* printResult({
      json: () => Organizations.toApiOrganization(organization),
      text: () => [`Resumed ${organization.name}: its keys work again within seconds.`]
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("Accept the keys of a suspended partner again"))

export const organizationCommand = Command.make("org").pipe(
  Command.withDescription("Organizations: the partners that call the API"),
  Command.withSubcommands([create, update, list, suspend, resume])
)

const makeIdentityTakenFailure = () => new CommandFailed({ message: "Another organization has this identity id." })

const found = <R>(id: OrganizationId, change: Effect.Effect<Option.Option<Organization>, IdentityTaken, R>) =>
  Effect.flatMap(
    Effect.mapError(change, makeIdentityTakenFailure),
    Option.match({
      onNone: () => Effect.fail(new CommandFailed({ message: `There is no organization ${id}.` })),
      onSome: Effect.succeed
    })
  )

const changedLimits = (
  present: PlanLimitOverrides,
  changes: ReadonlyArray<readonly [PlanLimitName, number | null]>
): PlanLimitOverrides =>
  Object.fromEntries(
    Object.entries({ ...present, ...Object.fromEntries(changes) }).filter(([, value]) => value !== null)
  )

const details = (organization: Organization) =>
  formatFields({
    id: organization.id,
    plan: organization.plan,
    contact: organization.contactEmail,
    identity: organization.identityId,
    limits: Object.entries(organization.limits)
      .map(([name, value]) => `${name}=${value}`)
      .join(" ")
  })
