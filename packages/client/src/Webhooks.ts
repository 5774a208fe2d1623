/** Webhooks: registered, changed, tried out, and what was delivered to them. What arrives at one is checked by `verify`. */
import { path, query } from "./Address.ts"
import type { Connection } from "./Connection.ts"
import type { Delivery, DeliveryDetail, ListDeliveries, RecoverWebhook, Recovery } from "./Delivery.ts"
import { type CursorPage, Listing } from "./Listing.ts"
import type { PostOptions, RequestOptions } from "./Options.ts"
import type { CreatedWebhook, CreateWebhook, DeletedWebhook, UpdateWebhook, Webhook, WebhookTest } from "./Webhook.ts"
import { verifyWebhook } from "./WebhookVerification.ts"

export class Webhooks {
  readonly #connection: Connection

  /** Checks what arrived at your endpoint, as `verifyWebhook` does without a client. */
  readonly verify: typeof verifyWebhook = verifyWebhook

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Registers an endpoint. `secret` is in this answer alone: keep it. Scope `topics:submit`. */
  async create(webhook: CreateWebhook, options?: PostOptions): Promise<CreatedWebhook> {
    return this.#connection.data({ method: "POST", path: "/webhooks", body: webhook, options })
  }

  /** All of them; there are 20 at most. Scope `topics:read`. */
  async list(options?: RequestOptions): Promise<ReadonlyArray<Webhook>> {
    return this.#connection.data({ method: "GET", path: "/webhooks", options })
  }

  /** Fails with `not_found`. Scope `topics:read`. */
  async get(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.#connection.data({ method: "GET", path: path`/webhooks/${id}`, options })
  }

  /** Changes what is given. `status: "active"` brings a paused or disabled one back. Scope `topics:submit`. */
  async update(id: string, changes: UpdateWebhook, options?: RequestOptions): Promise<Webhook> {
    return this.#connection.data({ method: "PATCH", path: path`/webhooks/${id}`, body: changes, options })
  }

  /** Scope `topics:submit`. */
  async delete(id: string, options?: RequestOptions): Promise<DeletedWebhook> {
    return this.#connection.data({ method: "DELETE", path: path`/webhooks/${id}`, options })
  }

  /** Of the last 30 days, newest event first: awaited, a page; iterated, all of them. Scope `topics:read`. */
  deliveries(
    id: string,
    deliveries: ListDeliveries = {},
    options?: RequestOptions
  ): Listing<Delivery, CursorPage<Delivery>> {
    return new Listing((cursor) =>
      this.#connection.send<CursorPage<Delivery>>({
        method: "GET",
        path: path`/webhooks/${id}/deliveries` + query({ ...deliveries, cursor: cursor ?? deliveries.cursor }),
        options
      })
    )
  }

  /** With what your endpoint answered. Fails with `not_found`. Scope `topics:read`. */
  async delivery(id: string, deliveryId: string, options?: RequestOptions): Promise<DeliveryDetail> {
    return this.#connection.data({ method: "GET", path: path`/webhooks/${id}/deliveries/${deliveryId}`, options })
  }

  /** Asks for one attempt, whatever its status, and does not wait for it. Scope `topics:submit`. */
  async retry(id: string, deliveryId: string, options?: PostOptions): Promise<Delivery> {
    return this.#connection.data({
      method: "POST",
      path: path`/webhooks/${id}/deliveries/${deliveryId}/retry`,
      options
    })
  }

  /** Has what failed or is held sent again, oldest event first; `dry_run` counts only. Scope `topics:submit`. */
  async recover(id: string, recovery: RecoverWebhook, options?: PostOptions): Promise<Recovery> {
    return this.#connection.data({ method: "POST", path: path`/webhooks/${id}/recover`, body: recovery, options })
  }

  /**
   * Has a test event sent at once, and resolves with what came of it: look at `success`. Each call sends one, so it is
   * never tried again by itself. Scope `topics:submit`.
   */
  async test(id: string, options?: RequestOptions): Promise<WebhookTest> {
    return this.#connection.send({ method: "POST", path: path`/webhooks/${id}/test`, once: true, options })
  }
}
