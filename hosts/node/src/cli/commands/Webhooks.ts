/** Defines the commands `webhook …`, which manage webhooks. Partners register webhooks over the API. */
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { OrganizationId, WebhookId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { reencryptWebhookSecrets } from "@partner-commentary/core/webhook/SecretReencryption"
import type { Webhook } from "@partner-commentary/core/webhook/Webhook"
import { WebhookAdministration } from "@partner-commentary/core/webhook/WebhookAdministration"
import * as Parser from "@partner-commentary/settings/Parser"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { formatSecretCount } from "partner-commentary/doctor/StoredWebhooks"
import * as DataFolder from "../../app/DataFolder.ts"
import * as WebhookSecrets from "../../doctor/WebhookSecrets.ts"
import * as Administration from "../Administration.ts"
import { CommandFailed } from "../CommandFailed.ts"
import { formatTable, printResult } from "../Output.ts"
import * as Parameter from "../Parameter.ts"

const list = Command.make(
  "list",
  {
    organization: Parameter.declareOptionalFlag(
      "org",
      Parser.makeIdParser(OrganizationId),
      "ID",
      "Only webhooks of this organization"
    ),
    disabled: Flag.Boolean("disabled").pipe(
      Flag.withDescription("Only webhooks that the service disabled"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* ({ disabled, organization }) {
    if (Option.isSome(organization) && Option.isNone(yield* (yield* OrganizationStore).find(organization.value))) {
      return yield* new CommandFailed({ message: `There is no organization ${organization.value}.` })
    }
    const listed = yield* (yield* WebhookAdministration).list({
      organizationId: Option.getOrNull(organization),
      disabled
    })
    const organizations = yield* (yield* OrganizationRegistry).list
    const names = new Map(organizations.map(({ id, name }) => [id, name]))
    yield* printResult({
      json: () =>
        listed.map(({ disabling, waiting, webhook }) => ({
          ...view(webhook),
          organization_name: names.get(webhook.owner.organizationId) ?? null,
          deliveries_waiting: waiting?.count ?? 0,
          oldest_waiting_since: Instant.toIsoOrNull(waiting?.since ?? null),
          disabled_at: Instant.toIsoOrNull(disabling?.at ?? null),
          disabled_reason: disabling?.reason ?? null
        })),
      text: () =>
        formatTable(
          [
            ...["id", "environment", "status", "failures", "last delivery", "url", "events", "waiting", "since"],
            ...["organization", "disabled at", "reason"]
          ],
          listed.map(({ disabling, waiting, webhook }) => [
            webhook.id,
            webhook.owner.environment,
            webhook.status,
            String(webhook.consecutiveFailures),
            Instant.toIsoOrNull(webhook.lastDeliveryAt) ?? "never",
            webhook.url,
            webhook.events.join(" "),
            String(waiting?.count ?? 0),
            Instant.toIsoOrNull(waiting?.since ?? null) ?? "",
            names.get(webhook.owner.organizationId) ?? webhook.owner.organizationId,
            Instant.toIsoOrNull(disabling?.at ?? null) ?? "",
            disabling?.reason ?? ""
          ]),
          disabled
            ? "No webhook is disabled."
            : "There are no webhooks yet: partners register them with POST /webhooks."
        )
    })
  }, Effect.provide(Administration.layer))
).pipe(
  Command.withDescription(
    "List webhooks by organization, live webhooks first, newest first, with the reason if disabled"
  )
)

const enable = Command.make(
  "enable",
  { id: Parameter.declarePositionalArgument("id", Parser.makeIdParser(WebhookId), "The webhook's id") },
  Effect.fn(function* ({ id }) {
    const webhook = yield* Effect.catchTag((yield* WebhookAdministration).enable(id), "WebhookNotFound", () =>
      Effect.fail(new CommandFailed({ message: `There is no webhook ${id}.` }))
    )
    yield* printResult({
      json: () => view(webhook),
      text: () => [`The webhook ${webhook.url} is active, and its failures are reset.`]
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("Activate a disabled or paused webhook, and reset its failures"))

const sealing = Layer.unwrap(
  Effect.gen(function* () {
    const settings = yield* Effect.tap(Settings.readSettings, Settings.requireSigningSecret)
    return WebhookSecrets.layerEncryption(DataFolder.loadOrCreateSecrets(settings))
  })
)

const reseal = Command.make(
  "reseal",
  {},
  Effect.fn(
    function* () {
      const { lost, resealed } = yield* reencryptWebhookSecrets
      yield* printResult({
        json: () => ({ resealed, lost }),
        text: () => [`Re-encrypted ${formatSecretCount(resealed)} with the first entry of SIGNING_SECRET.`]
      })
      if (lost.length > 0) {
        return yield* new CommandFailed({
          message: `No entry of SIGNING_SECRET decrypts ${formatSecretCount(lost.length)}: add the entry that encrypted ${lost.length === 1 ? "it" : "them"}, and run this command again; ${lost.slice(0, 10).join(" ")}.`
        })
      }
    },
    Effect.provide(Layer.merge(Administration.layer, sealing))
  )
).pipe(Command.withDescription("Re-encrypt all webhook secrets, so that an old entry of SIGNING_SECRET can be removed"))

export const webhookCommand = Command.make("webhook").pipe(
  Command.withDescription("Webhooks of partners"),
  Command.withSubcommands([list, enable, reseal])
)

const view = (webhook: Webhook) => ({
  id: webhook.id,
  organization_id: webhook.owner.organizationId,
  environment: webhook.owner.environment,
  url: webhook.url,
  events: webhook.events,
  status: webhook.status,
  consecutive_failures: webhook.consecutiveFailures,
  last_delivery_at: Instant.toIsoOrNull(webhook.lastDeliveryAt),
  created_at: Instant.toIso(webhook.createdAt),
  updated_at: Instant.toIso(webhook.updatedAt)
})
