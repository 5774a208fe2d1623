/**
 * Composes the whole service for tests. The stores are on SQLite, or on Postgres if TEST_STORES is `postgres`. Webhook
 * receivers are in memory, dashboard tokens are issued locally, and the test provides the mailer and the generator.
 */

import * as NodeCrypto from "@effect/platform-node-shared/NodeCrypto"
import { AccessChanges } from "@partner-commentary/core/access/AccessChanges"
import { RateWindows } from "@partner-commentary/core/access/RateWindows"
import type { CommentaryGenerator } from "@partner-commentary/core/commentary/CommentaryGenerator"
import type { Mailer } from "@partner-commentary/core/mail/Mailer"
import { defaults, type Policy } from "@partner-commentary/core/shared/Policy"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { DatabaseIsShared } from "@partner-commentary/core/shared/SharedState"
import { SigningSecrets } from "@partner-commentary/core/shared/SigningSecrets"
import { WorkSignal } from "@partner-commentary/core/shared/WorkSignal"
import type { WebhookTransport } from "@partner-commentary/core/webhook/WebhookTransport"
import * as LocalIdentity from "@partner-commentary/identity/LocalIdentity"
import * as Composition from "@partner-commentary/server/embedding/Composition"
import { overrideDefaults, type SettingsOverrides } from "@partner-commentary/server/embedding/PartialSettings"
import * as Sqlite from "@partner-commentary/sqlite/Sqlite"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { InMemoryWebhookReceivers } from "./InMemoryWebhookReceivers.ts"

export interface ServiceCompositionOptions {
  /** The database file. By default the database is private and in memory. */
  readonly filename?: string
  /** The stores that replace the database in `filename`. */
  readonly stores?: ReturnType<typeof Sqlite.layer>
  readonly apiRoot?: string
  readonly policy?: SettingsOverrides<Policy> | undefined
  /** This transport replaces the in-memory receivers. */
  readonly transport?: Layer.Layer<WebhookTransport>
  /** The secret that signs creator links and dashboard tokens. */
  readonly secret?: string
}

/** Provides the use cases, the stores and the given adapters. */
export const layer = <Seen, E>(
  options: ServiceCompositionOptions & { readonly outside: Layer.Layer<Mailer | CommentaryGenerator | Seen, E> }
) => {
  const secret = Redacted.make(options.secret ?? "a secret of the tests")
  const stored =
    options.stores === undefined
      ? stores(options.filename ?? ":memory:")
      : Layer.merge(options.stores, RateWindows.layerMemory)
  const ports = Layer.mergeAll(
    LocalIdentity.layer({ secret }),
    AccessChanges.layerProcess,
    WorkSignal.layerProcess,
    NodeCrypto.layer,
    stored,
    // Each database is used by at most one test at a time.
    Layer.succeed(DatabaseIsShared, false),
    options.outside,
    InMemoryWebhookReceivers.layer
  )
  return Composition.layer({
    address: PublicAddress.layerAnywhere(options.apiRoot ?? "http://test.invalid"),
    secrets: Layer.succeed(SigningSecrets, [secret]),
    policy: overrideDefaults(defaults, options.policy),
    // Signals and due times start all jobs, so the tests need no polling. If the poll intervals were short, a test
    // clock that jumps by years would run every poll in between.
    workers: {
      pollInterval: Duration.days(36_500),
      pause: Duration.days(36_500),
      drafts: 16
    },
    ports: options.transport === undefined ? ports : Layer.merge(ports, options.transport)
  })
}

/**
 * Calls with the same name, except `:memory:`, share a database. The Postgres module is loaded on demand, because it is
 * not published: only the project's own tests use it.
 */
const stores = (name: string) =>
  process.env["TEST_STORES"] === "postgres"
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./postgres/TestDatabase.ts")),
          ({ layerOfNamedDatabase: layerNamed }) => layerNamed(name)
        )
      )
    : Layer.merge(Sqlite.layer({ filename: name }), RateWindows.layerMemory)
