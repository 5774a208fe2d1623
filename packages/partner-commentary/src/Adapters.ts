/** Builds adapters from plain settings. The module of an adapter is imported only if an option chooses the adapter. */
import { DashboardTokenVerifier } from "@partner-commentary/core/access/DashboardTokenVerifier"
import { CommentaryGenerator } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { WebhookTransport } from "@partner-commentary/core/webhook/WebhookTransport"
import type * as OpenAiGenerator from "@partner-commentary/generator/OpenAiGenerator"
import type * as OpenAiSpeech from "@partner-commentary/generator/OpenAiSpeech"
import type * as JwksIdentity from "@partner-commentary/identity/JwksIdentity"
import type * as OutboxMailer from "@partner-commentary/smtp/OutboxMailer"
import type * as SmtpMailer from "@partner-commentary/smtp/SmtpMailer"
import type * as FolderStorage from "@partner-commentary/storage/FolderStorage"
import type * as S3Storage from "@partner-commentary/storage/S3Storage"
import type * as NodeWebhookTransport from "@partner-commentary/webhook/NodeWebhookTransport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

export const lazyLayer = <Module, A, E, R>(
  load: () => Promise<Module>,
  make: (module: Module) => Layer.Layer<A, E, R>
): Layer.Layer<A, E, R> => Layer.unwrap(Effect.map(Effect.promise(load), make))

/** Builds `layer` when a method of the service first runs, so that a start does not wait for the adapter's module. */
const buildOnFirstUse = <Id, Service>(
  key: Context.Key<Id, Service>,
  layer: Layer.Layer<Id>,
  forward: (service: Effect.Effect<Service>) => Service
): Layer.Layer<Id> =>
  Layer.effect(
    key,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const context = yield* Effect.context<never>()
      // The adapter outlives its first caller, so it must not keep the caller's context.
      const built = Effect.updateContext(Layer.buildWithScope(layer, scope), (_: Context.Context<never>) => context)
      return forward(yield* Effect.cached(Effect.map(built, (services) => Context.get(services, key))))
    })
  )

export const smtpMailerLayer = (options: SmtpMailer.SmtpMailerOptions) =>
  lazyLayer(
    () => import("@partner-commentary/smtp/SmtpMailer"),
    ({ layer }) => layer(options)
  )

export const outboxMailerLayer = (options: OutboxMailer.OutboxMailerOptions) =>
  lazyLayer(
    () => import("@partner-commentary/smtp/OutboxMailer"),
    ({ layer }) => layer(options)
  )

/** Returns the generator layer for an OpenAI-compatible server, or the local generator if no server is given. */
export const generatorLayer = (server: Option.Option<OpenAiGenerator.OpenAiGeneratorOptions>) =>
  buildOnFirstUse(
    CommentaryGenerator,
    Option.match(server, {
      onNone: () =>
        lazyLayer(
          () => import("@partner-commentary/generator/LocalGenerator"),
          ({ layer }) => layer
        ),
      onSome: (options) =>
        lazyLayer(
          () => import("@partner-commentary/generator/OpenAiGenerator"),
          ({ layer }) => layer(options)
        )
    }),
    (generator) => ({ generate: (request) => Effect.flatMap(generator, ({ generate }) => generate(request)) })
  )

/**
 * Returns the speech layer for an OpenAI-compatible server. If no server is given, the layer is empty and the service
 * makes no audio.
 */
export const speechSynthesisLayer = (server: Option.Option<OpenAiSpeech.OpenAiSpeechOptions>) =>
  Option.match(server, {
    onNone: () => Layer.empty,
    onSome: (options) =>
      lazyLayer(
        () => import("@partner-commentary/generator/OpenAiSpeech"),
        ({ layer }) => layer(options)
      )
  })

export const folderStorageLayer = (options: FolderStorage.FolderStorageOptions) =>
  lazyLayer(
    () => import("@partner-commentary/storage/FolderStorage"),
    ({ layer }) => layer(options)
  )

export const s3StorageLayer = (options: S3Storage.S3StorageOptions) =>
  lazyLayer(
    () => import("@partner-commentary/storage/S3Storage"),
    ({ layer }) => layer(options)
  )

/**
 * Returns the identity layer for an identity provider. Without an identity provider, the service rejects every
 * dashboard token.
 */
export const identityLayer = (provider: Option.Option<JwksIdentity.JwksIdentityOptions>) =>
  Option.match(provider, {
    onNone: () => DashboardTokenVerifier.layerNone,
    onSome: (options) =>
      lazyLayer(
        () => import("@partner-commentary/identity/JwksIdentity"),
        ({ layer }) => layer(options)
      )
  })

export const webhookTransportLayer = (options: NodeWebhookTransport.WebhookTransportOptions) =>
  buildOnFirstUse(
    WebhookTransport,
    lazyLayer(
      () => import("@partner-commentary/webhook/NodeWebhookTransport"),
      ({ layer }) => layer(options)
    ),
    (transport) => ({
      send: (request) => Effect.flatMap(transport, ({ send }) => send(request)),
      check: (url) => Effect.flatMap(transport, ({ check }) => check(url))
    })
  )
