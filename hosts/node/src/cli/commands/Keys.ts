/** Defines the commands `key …`, which manage API keys. */

import { type ApiKey, findKeyRejection } from "@partner-commentary/core/access/ApiKey"
import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import { allScopes } from "@partner-commentary/core/access/Scope"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { ApiKeyId, OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { Environment } from "@partner-commentary/core/shared/Owner"
import * as Parser from "@partner-commentary/settings/Parser"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Administration from "../Administration.ts"
import { CommandFailed } from "../CommandFailed.ts"
import { formatFields, formatTable, printResult } from "../Output.ts"
import * as Parameter from "../Parameter.ts"

const organization = Parameter.declareRequiredFlag(
  "org",
  Parser.makeIdParser(OrganizationId),
  "ID",
  "The organization's id"
)

const create = Command.make(
  "create",
  {
    organization,
    name: Parameter.declareRequiredFlag("name", Parser.nameParser, "NAME", "The purpose of the key"),
    scopes: Parameter.declareRequiredFlag("scopes", Parser.scopesParser, "A,B", allScopes.join(", ")),
    environment: Parameter.declareOptionalFlag(
      "environment",
      Parser.makeOneOfParser(Environment.literals),
      "ENVIRONMENT",
      "live (the default) or test. A test key accesses test data only"
    ),
    addresses: Parameter.declareOptionalFlag(
      "ip-whitelist",
      Parser.networkListParser,
      "A,B",
      "The addresses and CIDR ranges that can use the key. Default: any"
    ),
    expiresAt: Parameter.declareOptionalFlag(
      "expires-at",
      Parser.timestampParser,
      "TIMESTAMP",
      "The time from which the key is refused"
    )
  },
  Effect.fn(function* (wanted) {
    const apiKeys = yield* ApiKeys
    const organization = yield* (yield* OrganizationStore).find(wanted.organization)
    if (Option.isNone(organization)) return yield* noOrganization(wanted.organization)
    const { fullKey, key } = yield* apiKeys
      .issue(organization.value, {
        name: wanted.name,
        scopes: wanted.scopes,
        environment: Option.getOrElse(wanted.environment, () => "live" as const),
        ipAllowList: Option.getOrElse(wanted.addresses, () => []),
        expiresAt: Option.getOrNull(wanted.expiresAt)
      })
      .pipe(
        Effect.catchTags({
          InvalidAllowList: ({ entry }) =>
            Effect.fail(new CommandFailed({ message: `${entry} is neither an address nor a CIDR range.` })),
          TooManyKeys: ({ limit }) =>
            Effect.fail(
              new CommandFailed({
                message: `The organization has ${limit} active keys in this environment, which is the maximum: revoke one first.`
              })
            )
        })
      )
    yield* printResult({
      json: () => ({ ...view(key), full_key: Redacted.value(fullKey) }),
      text: () => [
        `Created the key ${key.name}. It is shown only once:`,
        "",
        `  ${Redacted.value(fullKey)}`,
        "",
        ...formatFields({
          id: key.id,
          scopes: key.scopes.join(" "),
          addresses: key.ipAllowList.join(" "),
          expires: Instant.toIsoOrNull(key.expiresAt)
        })
      ]
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("Create a key. It is shown only once"))

const list = Command.make(
  "list",
  { organization },
  Effect.fn(function* (wanted) {
    if (Option.isNone(yield* (yield* OrganizationStore).find(wanted.organization))) {
      return yield* noOrganization(wanted.organization)
    }
    const now = yield* Instant.now
    const keys = yield* (yield* ApiKeys).list(wanted.organization)
    yield* printResult({
      json: () => keys.map(view),
      text: () =>
        formatTable(
          ["id", "name", "key", "state", "scopes"],
          keys.map((key) => [key.id, key.name, `${key.prefix}…`, state(key, now), key.scopes.join(" ")]),
          `There are no keys yet. Next: partner-commentary key create --org ${wanted.organization} --name NAME --scopes A,B`
        )
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("List a partner's keys, including those that ended in the last 90 days"))

const revoke = Command.make(
  "revoke",
  { id: Parameter.declarePositionalArgument("id", Parser.makeIdParser(ApiKeyId), "The key's id") },
  Effect.fn(function* ({ id }) {
    const apiKeys = yield* ApiKeys
    const key = yield* Effect.catchTag(apiKeys.revoke(id), "ApiKeyNotFound", () =>
      Effect.fail(new CommandFailed({ message: `There is no key ${id}.` }))
    )
    yield* printResult({
      json: () => view(key),
      text: () => [`Revoked the key ${key.name}: it is refused everywhere within seconds.`]
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("Revoke a key permanently, everywhere within seconds"))

export const keyCommand = Command.make("key").pipe(
  Command.withDescription("API keys of partners"),
  Command.withSubcommands([create, list, revoke])
)

const noOrganization = (id: OrganizationId) =>
  Effect.fail(new CommandFailed({ message: `There is no organization ${id}.` }))

const state = (key: ApiKey, now: Instant.Instant): string =>
  Option.match(findKeyRejection(key, now), {
    onNone: () => "active",
    onSome: ({ _tag }) => (_tag === "KeyRevoked" ? "revoked" : "expired")
  })

const view = (key: ApiKey) => ({
  id: key.id,
  organization_id: key.organizationId,
  name: key.name,
  key_prefix: key.prefix,
  scopes: key.scopes,
  environment: key.environment,
  ip_whitelist: key.ipAllowList,
  created_at: Instant.toIso(key.createdAt),
  expires_at: Instant.toIsoOrNull(key.expiresAt),
  last_used_at: Instant.toIsoOrNull(key.lastUsedAt),
  revoked_at: Instant.toIsoOrNull(key.revokedAt)
})
