/**
 * A webhook transport that opens no connection. The transport records requests, returns scripted responses, and accepts
 * every `https:` URL except for host names that a test refuses.
 */
import {
  type NoWebhookResponse,
  type WebhookRequest,
  type WebhookResponse,
  WebhookTransport,
  WebhookUrlRefused
} from "@partner-commentary/core/webhook/WebhookTransport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export type WebhookResponder = (request: WebhookRequest) => Effect.Effect<Partial<WebhookResponse>, NoWebhookResponse>

export class InMemoryWebhookReceivers extends Context.Service<
  InMemoryWebhookReceivers,
  {
    /** All requests in the order in which they were sent. */
    readonly sent: Effect.Effect<ReadonlyArray<WebhookRequest>>
    /** The URLs that the service checked, in order. */
    readonly checked: Effect.Effect<ReadonlyArray<string>>
    /** Sets the response of all receivers to later requests. Without a call of this function, the response is 200. */
    readonly answer: (answer: WebhookResponder) => Effect.Effect<void>
    /** Makes the transport refuse addresses with this host name. */
    readonly refuse: (host: string, constraint: string) => Effect.Effect<void>
  }
>()("@partner-commentary/test/InMemoryWebhookReceivers") {
  static readonly layer: Layer.Layer<InMemoryWebhookReceivers | WebhookTransport> = Layer.effectContext(
    Effect.sync(() => {
      const sent: Array<WebhookRequest> = []
      const checked: Array<string> = []
      let answering: WebhookResponder = () => Effect.succeed({})
      const refusals = new Map<string, string>()
      const receivers = InMemoryWebhookReceivers.of({
        sent: Effect.sync(() => [...sent]),
        checked: Effect.sync(() => [...checked]),
        answer: (next) =>
          Effect.sync(() => {
            answering = next
          }),
        refuse: (host, constraint) => Effect.sync(() => void refusals.set(host, constraint))
      })
      const transport = WebhookTransport.of({
        send: (request) =>
          Effect.suspend(() => {
            sent.push(request)
            return Effect.map(answering(request), (given) => ({ status: 200, retryAfter: null, excerpt: "", ...given }))
          }),
        check: (text) =>
          Effect.suspend(() => {
            checked.push(text)
            const url = new URL(text)
            const constraint = url.protocol === "https:" ? refusals.get(url.hostname) : "must be an https: address"
            return constraint === undefined ? Effect.void : Effect.fail(new WebhookUrlRefused({ constraint }))
          })
      })
      return Context.make(InMemoryWebhookReceivers, receivers).pipe(Context.add(WebhookTransport, transport))
    })
  )
}
