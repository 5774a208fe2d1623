/**
 * The official client of Partner Commentary. The client uses `fetch` and WebCrypto only, and runs in Node, Deno, Bun
 * and edge runtimes.
 */

import type { Me } from "./ApiKey.ts"
import { Connection, requireOptions } from "./Connection.ts"
import { Events } from "./Events.ts"
import type { ClientOptions, Credential, RequestOptions } from "./Options.ts"
import { Personas } from "./Personas.ts"
import { Metrics, UsageReport } from "./Reports.ts"
import { TestControls } from "./TestControls.ts"
import { Topics } from "./Topics.ts"
import { Webhooks } from "./Webhooks.ts"

export interface PartnerCommentaryOptions extends ClientOptions {
  /** The API key `pk_live_…` or `pk_test_…`, or a function that fetches the key from a secret store. */
  readonly apiKey: Credential
}

/** The client of the partner API. Create one instance and use it for all calls. */
export class PartnerCommentary {
  readonly topics: Topics
  readonly personas: Personas
  readonly usage: UsageReport
  readonly metrics: Metrics
  readonly webhooks: Webhooks
  readonly events: Events
  readonly test: TestControls
  readonly #connection: Connection

  constructor(options: PartnerCommentaryOptions) {
    const { apiKey, ...rest } = requireOptions(options, "apiKey")
    const connection = new Connection(rest, { option: "apiKey", name: "x-api-key", scheme: "" }, apiKey)
    this.topics = new Topics(connection)
    this.personas = new Personas(connection)
    this.usage = new UsageReport(connection)
    this.metrics = new Metrics(connection)
    this.webhooks = new Webhooks(connection)
    this.events = new Events(connection)
    this.test = new TestControls(connection)
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
export type { ListEvents } from "./Events.ts"
export type { FollowEvents } from "./Following.ts"
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
export type { ListTopics } from "./Topics.ts"
export type { Usage } from "./Usage.ts"
export type { WaitOptions } from "./Waiting.ts"
export type * from "./Webhook.ts"
export type * from "./WebhookEvent.ts"
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError
} from "./WebhookVerification.ts"
export type { Json, Metadata, Open, Timestamp } from "./Wire.ts"
// biome-ignore-end lint/performance/noBarrelFile: the only entry point of the package lists its exports here
