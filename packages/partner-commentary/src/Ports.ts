/**
 * Builds the implementations of the ports that the options choose. If an implementation cannot be built, the error
 * names the option.
 */
import { DashboardTokenVerifier } from "@partner-commentary/core/access/DashboardTokenVerifier"
import { isLoopbackHost } from "@partner-commentary/core/shared/Loopback"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Adapters from "./Adapters.ts"
import type { StoreServices } from "./Database.ts"
import { isLayer } from "./LayerOption.ts"
import type { DecodedOptions, OpenAiServer } from "./Options.ts"
import { mapToStartError, type PartnerCommentaryError } from "./PartnerCommentaryError.ts"
import * as GeneratorFunction from "./ports/GeneratorFunction.ts"
import * as IdentityFunction from "./ports/IdentityFunction.ts"
import * as MailFunction from "./ports/MailFunction.ts"
import * as MediaFunctions from "./ports/MediaFunctions.ts"
import * as OrganizationFunctions from "./ports/OrganizationFunctions.ts"
import * as PersonaFunctions from "./ports/PersonaFunctions.ts"

export const layer = (options: DecodedOptions) =>
  Layer.mergeAll(
    stores(options),
    nameOptionInErrors("mail", mail(options)),
    nameOptionInErrors("generator", generator(options)),
    nameOptionInErrors("speech", speech(options)),
    nameOptionInErrors("mediaStorage", mediaStorage(options)),
    nameOptionInErrors("identity", identity(options)),
    nameOptionInErrors("webhooks", webhooks(options))
  )

const nameOptionInErrors = <A, R>(option: string, layer: Layer.Layer<A, unknown, R>) =>
  mapToStartError(`The option ${option}`, layer)

/**
 * Returns all stores of the service. The application's own stores replace the default stores and use the same database
 * client.
 */
const stores = ({
  database,
  organizations,
  personas
}: DecodedOptions): Layer.Layer<StoreServices, PartnerCommentaryError> => {
  const kept = nameOptionInErrors("database", database ?? local)
  const withPersonas =
    personas === undefined
      ? kept
      : Layer.provideMerge(
          nameOptionInErrors("personas", isLayer(personas) ? personas : PersonaFunctions.layer(personas)),
          kept
        )
  return organizations === undefined
    ? withPersonas
    : Layer.provideMerge(
        nameOptionInErrors(
          "organizations",
          isLayer(organizations) ? organizations : OrganizationFunctions.layer(organizations)
        ),
        withPersonas
      )
}

const local = Adapters.lazyLayer(
  () => import("./sqlite/Sqlite.ts"),
  ({ sqlite }) => sqlite("commentary.db")
)

const mail = ({ apiRoot, mail }: DecodedOptions) => {
  if (isLayer(mail)) return mail
  if (Predicate.isFunction(mail)) return MailFunction.layer(mail)
  const { hostname } = new URL(apiRoot)
  const domain = isLoopbackHost(hostname) ? "localhost" : hostname
  return Adapters.outboxMailerLayer({
    folder: mail?.outbox ?? "commentary-outbox",
    from: `Partner Commentary <commentary@${domain}>`
  })
}

const generator = ({ generator }: DecodedOptions) => {
  if (isLayer(generator)) return generator
  return Predicate.isFunction(generator)
    ? GeneratorFunction.layer(generator)
    : Adapters.generatorLayer(Option.map(Option.fromUndefinedOr(generator), server))
}

const server = <Server extends OpenAiServer>({ apiKey, ...rest }: Server) => ({
  ...rest,
  apiKey: Option.map(Option.fromUndefinedOr(apiKey), (key) => Redacted.make(key))
})

const speech = ({ speech }: DecodedOptions) => {
  if (isLayer(speech)) return speech
  return Predicate.isFunction(speech)
    ? MediaFunctions.speechLayer(speech)
    : Adapters.speechSynthesisLayer(Option.map(Option.fromUndefinedOr(speech), server))
}

const mediaStorage = ({ mediaStorage }: DecodedOptions) => {
  if (mediaStorage === undefined) return Layer.empty
  if (isLayer(mediaStorage)) return mediaStorage
  return Predicate.isFunction(mediaStorage)
    ? MediaFunctions.storageLayer(mediaStorage)
    : Adapters.folderStorageLayer(mediaStorage)
}

const identity = ({ identity }: DecodedOptions) => {
  if (identity === undefined) return DashboardTokenVerifier.layerNone
  if (isLayer(identity)) return identity
  return Predicate.isFunction(identity)
    ? IdentityFunction.layer(identity)
    : Adapters.identityLayer(Option.some({ ...identity, organizationClaim: identity.organizationClaim ?? "org_id" }))
}

const webhooks = ({ webhooks }: DecodedOptions) =>
  isLayer(webhooks) ? webhooks : Adapters.webhookTransportLayer({ allowPrivate: webhooks?.allowPrivate ?? false })
