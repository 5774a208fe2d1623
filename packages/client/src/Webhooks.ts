/** Manages webhooks and deliveries. `verify` checks the signature of incoming events. */
import { buildRequestPath, formatQueryString } from "./Address.ts"
import type { Connection } from "./Connection.ts"
import type { Delivery, DeliveryDetail, ListDeliveriesOptions, RecoverWebhook, WebhookRecovery } from "./Delivery.ts"
import { type CursorPage, Listing } from "./Listing.ts"
import type { PostOptions, RequestOptions } from "./Options.ts"
import type {
  CreatedWebhook,
  CreateWebhook,
  DeletedWebhook,
  RotatedWebhook,
  RotateWebhookSecret,
  UpdateWebhook,
  Webhook,
  WebhookTest
} from "./Webhook.ts"
import { verifyWebhook } from "./WebhookVerification.ts"

export class WebhooksClient {
  readonly #connection: Connection

  /** `verify` is the same function as `verifyWebhook`. */
  readonly verify: typeof verifyWebhook = verifyWebhook

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Registers an endpoint as a webhook. Store `secret`, because no other response contains the secret. Scope
   * `webhooks:write`.
   */
  async create(webhook: CreateWebhook, options?: PostOptions): Promise<CreatedWebhook> {
    return this.#connection.data({ method: "POST", path: "/webhooks", body: webhook, options })
  }

  /** Lists all webhooks, at most 20. Scope `webhooks:read`. */
  async list(options?: RequestOptions): Promise<ReadonlyArray<Webhook>> {
    return this.#connection.data({ method: "GET", path: "/webhooks", options })
  }

  /** Reads one webhook. If the webhook does not exist, the call fails with `not_found`. Scope `webhooks:read`. */
  async get(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.#connection.data({ method: "GET", path: buildRequestPath`/webhooks/${id}`, options })
  }

  /**
   * Changes the given fields of a webhook. `status: "active"` reactivates a paused or disabled webhook. Scope
   * `webhooks:write`.
   */
  async update(id: string, changes: UpdateWebhook, options?: RequestOptions): Promise<Webhook> {
    return this.#connection.data({ method: "PATCH", path: buildRequestPath`/webhooks/${id}`, body: changes, options })
  }

  /**
   * Replaces the secret of a webhook. During the grace period, events are signed with the old and the new secret, so
   * `verify` succeeds with either secret. Store the new secret, because no other response contains the secret. Scope
   * `webhooks:write`.
   */
  async rotateSecret(id: string, rotation: RotateWebhookSecret = {}, options?: PostOptions): Promise<RotatedWebhook> {
    return this.#connection.data({
      method: "POST",
      path: buildRequestPath`/webhooks/${id}/rotate-secret`,
      body: rotation,
      options
    })
  }

  /** Deletes a webhook. Scope `webhooks:write`. */
  async delete(id: string, options?: RequestOptions): Promise<DeletedWebhook> {
    return this.#connection.data({ method: "DELETE", path: buildRequestPath`/webhooks/${id}`, options })
  }

  /**
   * Lists deliveries of the last 30 days, newest event first. Await the list for a page, or iterate over all
   * deliveries. Scope `webhooks:read`.
   */
  deliveries(
    id: string,
    deliveries: ListDeliveriesOptions = {},
    options?: RequestOptions
  ): Listing<Delivery, CursorPage<Delivery>> {
    return new Listing((cursor) =>
      this.#connection.send<CursorPage<Delivery>>({
        method: "GET",
        path:
          buildRequestPath`/webhooks/${id}/deliveries` +
          formatQueryString({ ...deliveries, cursor: cursor ?? deliveries.cursor }),
        options
      })
    )
  }

  /**
   * Reads one delivery with your endpoint's responses. If the delivery does not exist, the call fails with `not_found`.
   * Scope `webhooks:read`.
   */
  async delivery(id: string, deliveryId: string, options?: RequestOptions): Promise<DeliveryDetail> {
    return this.#connection.data({
      method: "GET",
      path: buildRequestPath`/webhooks/${id}/deliveries/${deliveryId}`,
      options
    })
  }

  /**
   * Requests one attempt of a delivery, whatever the status of the delivery is. The call does not wait for the delivery
   * attempt. Scope `webhooks:write`.
   */
  async retry(id: string, deliveryId: string, options?: PostOptions): Promise<Delivery> {
    return this.#connection.data({
      method: "POST",
      path: buildRequestPath`/webhooks/${id}/deliveries/${deliveryId}/retry`,
      options
    })
  }

  /**
   * Sends failed and held deliveries again, oldest event first. With `dry_run`, the call only counts the deliveries.
   * Scope `webhooks:write`.
   */
  async recover(id: string, recovery: RecoverWebhook, options?: PostOptions): Promise<WebhookRecovery> {
    return this.#connection.data({
      method: "POST",
      path: buildRequestPath`/webhooks/${id}/recover`,
      body: recovery,
      options
    })
  }

  /**
   * Sends a test event immediately and resolves with the result; check `success`. The client does not retry the call,
   * because each attempt would send an event. Scope `webhooks:write`.
   */
  async test(id: string, options?: RequestOptions): Promise<WebhookTest> {
    return this.#connection.send({ method: "POST", path: buildRequestPath`/webhooks/${id}/test`, once: true, options })
  }
}
