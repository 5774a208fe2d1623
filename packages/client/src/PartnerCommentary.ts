/**
 * The official client of Partner Commentary. The client uses `fetch` and WebCrypto only, and runs in Node, Deno, Bun
 * and edge runtimes.
 */

import type { Me } from "./ApiKey.ts"
import { Connection, requireOptions } from "./Connection.ts"
import { EventsClient } from "./Events.ts"
import type { ClientOptions, Credential, RequestOptions } from "./Options.ts"
import { PersonasClient } from "./Personas.ts"
import { MetricsClient, UsageClient } from "./Reports.ts"
import { TestEnvironmentClient } from "./TestControls.ts"
import { TopicsClient } from "./Topics.ts"
import { WebhooksClient } from "./Webhooks.ts"

export interface PartnerCommentaryOptions extends ClientOptions {
  /** The API key `pk_live_…` or `pk_test_…`, or a function that fetches the key from a secret store. */
  readonly apiKey: Credential
}

/** The client of the partner API. Create one instance and use it for all calls. */
export class PartnerCommentary {
  readonly topics: TopicsClient
  readonly personas: PersonasClient
  readonly usage: UsageClient
  readonly metrics: MetricsClient
  readonly webhooks: WebhooksClient
  readonly events: EventsClient
  readonly test: TestEnvironmentClient
  readonly #connection: Connection

  constructor(options: PartnerCommentaryOptions) {
    const { apiKey, ...rest } = requireOptions(options, "apiKey")
    const connection = new Connection(rest, { option: "apiKey", name: "x-api-key", scheme: "" }, apiKey)
    this.topics = new TopicsClient(connection)
    this.personas = new PersonasClient(connection)
    this.usage = new UsageClient(connection)
    this.metrics = new MetricsClient(connection)
    this.webhooks = new WebhooksClient(connection)
    this.events = new EventsClient(connection)
    this.test = new TestEnvironmentClient(connection)
    this.#connection = connection
  }

  /** Reads the organization, scopes and expiry of the key, and the remaining requests of the rate limits. */
  async me(options?: RequestOptions): Promise<Me> {
    return this.#connection.data({ method: "GET", path: "/me", options })
  }
}

// biome-ignore-start lint/performance/noBarrelFile: the only entry point of the package lists its exports here
export type * from "./ApiKey.ts"
export type * from "./Delivery.ts"
export {
  ApiError,
  ConnectionError,
  type ErrorCode,
  type ErrorDetails,
  PartnerCommentaryError,
  type Problem,
  TimeoutError,
  UnexpectedAnswerError,
  WaitTimeoutError
} from "./Errors.ts"
export type { ListEventsOptions } from "./Events.ts"
export type { FollowEventsOptions } from "./Following.ts"
export type { CursorPage, Listing, Page } from "./Listing.ts"
export type { ClientOptions, Credential, PostOptions, RequestOptions, ResponseInfo } from "./Options.ts"
export {
  PartnerCommentaryDashboard,
  type PartnerCommentaryDashboardOptions
} from "./PartnerCommentaryDashboard.ts"
export type * from "./Performance.ts"
export type { Persona, PersonaSummary } from "./Persona.ts"
export type { RateLimit } from "./RateLimit.ts"
export type * from "./TestAssignment.ts"
export type * from "./Topic.ts"
export type { ListTopicsOptions } from "./Topics.ts"
export type { Usage } from "./Usage.ts"
export type { WaitOptions } from "./Waiting.ts"
export type * from "./Webhook.ts"
export type * from "./WebhookEvent.ts"
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError
} from "./WebhookVerification.ts"
export type { Json, Metadata, OpenEnum, Timestamp } from "./Wire.ts"
// biome-ignore-end lint/performance/noBarrelFile: the only entry point of the package lists its exports here
