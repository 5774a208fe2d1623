/** Creates the demo organization at the first start with default settings, and prints instructions for its use. */

import { ApiKeys } from "@partner-commentary/core/access/ApiKeys"
import * as Scope from "@partner-commentary/core/access/Scope"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import { testPersonas } from "@partner-commentary/core/persona/TestPersonas"
import * as Ids from "@partner-commentary/core/shared/Ids"
import { OrganizationId, PersonaId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import { Transaction } from "@partner-commentary/core/shared/Transaction"
import * as SecureRandom from "effect/crypto/SecureRandom"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

export interface CreatedDemoOrganization {
  readonly organization: { readonly id: OrganizationId; readonly name: string }
  readonly apiKey: string
  /** The demo organization's key for the test environment, in which simulated creators answer. */
  readonly testKey: string
  readonly personas: ReadonlyArray<{ readonly id: PersonaId; readonly name: string }>
}

const voices = [
  {
    name: "Ada Marsh",
    creator: "ada",
    bio: "Former midfielder, now in the studio.",
    expertise: ["football", "tactics"]
  },
  { name: "Bruno Okafor", creator: "bruno", bio: "Twenty years on the touchline.", expertise: ["football", "youth"] },
  { name: "Carla Winter", creator: "carla", bio: "Follows the numbers.", expertise: ["transfers", "statistics"] }
]

/**
 * Creates the demo organization in one transaction. Returns none if an organization already exists. If two processes
 * start at the same time, only one process creates the organization.
 */
export const createDemoOrganization = Effect.gen(function* () {
  const organizations = yield* OrganizationRegistry
  const registry = yield* PersonaRegistry
  const keys = yield* ApiKeys
  const random = yield* SecureRandom.SecureRandom
  if ((yield* organizations.list).length > 0) return Option.none<CreatedDemoOrganization>()
  const createdAt = yield* Instant.now
  const organization = { id: yield* Ids.make(OrganizationId, random), name: "Demo Sports" }
  yield* organizations.insert({
    ...organization,
    plan: "standard",
    limits: {},
    contactEmail: "desk@demo-sports.localhost",
    identityId: "demo-sports",
    suspendedAt: null,
    createdAt
  })
  const personas = yield* Effect.forEach(
    voices,
    Effect.fnUntraced(function* ({ bio, creator, expertise, name }) {
      const id = yield* Ids.make(PersonaId, random)
      const email = `${creator}@creators.localhost`
      yield* registry.insert({
        id,
        name,
        imageUrl: "",
        bio,
        expertise,
        socialLinks: {},
        creator: { name: name.replace(/ .*/, ""), email },
        createdAt
      })
      yield* registry.grant({
        organizationId: organization.id,
        personaId: id,
        grantedAt: createdAt,
        until: null,
        revokedAt: null
      })
      return { id, name }
    })
  )
  const issue = (name: string, environment: Environment) =>
    Effect.map(
      Effect.orDie(
        keys.issue(organization, {
          name,
          scopes: Scope.allScopes,
          environment,
          ipAllowList: [],
          expiresAt: null
        })
      ),
      ({ fullKey }) => Redacted.value(fullKey)
    )
  const apiKey = yield* issue("Demo", "live")
  const testKey = yield* issue("Demo test", "test")
  return Option.some<CreatedDemoOrganization>({ organization, apiKey, testKey, personas })
}).pipe(
  (change) => Transaction.use(({ run }) => run(change)),
  Effect.catchTag("IdentityTaken", () => Effect.succeed(Option.none<CreatedDemoOrganization>()))
)

/** Returns the lines that `serve` prints to help with a first API call. */
export const formatGettingStarted = (
  { apiKey, organization, personas, testKey }: CreatedDemoOrganization,
  apiRoot: string,
  outbox: Option.Option<string>
): ReadonlyArray<string> => [
  `The demo organization ${organization.name}. Its keys are shown this once.`,
  "",
  `  API key   ${apiKey}`,
  `  Test key  ${testKey}`,
  ...personas.map(({ id, name }, index) => `  ${index === 0 ? "Personas" : "        "}  ${id}  ${name}`),
  "",
  "Submit a topic:",
  "",
  `  curl ${apiRoot}/partner/v1/topics \\`,
  `    -H 'X-Api-Key: ${apiKey}' \\`,
  "    -H 'Content-Type: application/json' \\",
  `    -d '{"content": "Who wins the derby on Sunday, and why?", "persona_ids": [${personas.map(({ id }) => `"${id}"`).join(", ")}]}'`,
  "",
  ...Option.match(outbox, {
    onSome: (address) => [`Then answer as the creators, whose mails arrive at ${address}`],
    onNone: () => [
      "Then answer as the creators. Their mails go out through the mail server: first move each to an address that you read,",
      "",
      `  partner-commentary creator change-email --from ${voices[0]?.creator}@creators.localhost --to EMAIL`
    ]
  }),
  "",
  "Or let a simulated creator answer, within five seconds, with the test key:",
  "",
  `  curl ${apiRoot}/partner/v1/topics \\`,
  `    -H 'X-Api-Key: ${testKey}' \\`,
  "    -H 'Content-Type: application/json' \\",
  `    -d '{"content": "Who wins the derby on Sunday, and why?", "persona_ids": ["${testPersonas[0]?.id}"], "external_reference": "first"}'`,
  "",
  "Look at it now and again:",
  "",
  `  curl ${apiRoot}/partner/v1/topics/by-reference/first -H 'X-Api-Key: ${testKey}'`,
  ""
]

export const demoOrganizationToJson = (demo: CreatedDemoOrganization) => ({
  organization_id: demo.organization.id,
  full_key: demo.apiKey,
  test_key: demo.testKey,
  persona_ids: demo.personas.map(({ id }) => id)
})
