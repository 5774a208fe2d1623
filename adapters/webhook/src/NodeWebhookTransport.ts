/**
 * Sends webhook requests with Node's HTTP client. A partner's URL cannot reach a private network, because the IP
 * addresses of its host are checked at registration and at each connection. The core signs and retries requests, and
 * interprets responses.
 */
import { WebhookTransport, WebhookUrlRefused } from "@partner-commentary/core/webhook/WebhookTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as EgressGuard from "./EgressGuard.ts"
import * as Exchange from "./Exchange.ts"
import * as Failure from "./Failure.ts"
import * as NameLookup from "./NameLookup.ts"
import * as ReceiverUrl from "./ReceiverUrl.ts"

export interface WebhookTransportOptions {
  /** Allows `http:` URLs and receivers in private networks or on loopback, for development with trusted partners. */
  readonly allowPrivate: boolean
  /** The ports that a webhook URL may use. The default is 443 and 8443; if `allowPrivate` is true, every port. */
  readonly ports?: ReadonlyArray<number>
  /**
   * The function that resolves host names. The default queries the machine's name servers. If `allowPrivate` is true,
   * the default is the operating system's resolver.
   */
  readonly lookup?: NameLookup.NameLookup
}

const publicPorts = [443, 8443]

/**
 * The time limit of the name lookup when a webhook is registered. If the lookup exceeds the limit, the webhook URL is
 * accepted, because every connection checks the addresses again.
 */
const longestCheck = "3 seconds"

/**
 * Provides the webhook transport. The layer opens no connection before the first `send`, and closes the kept
 * connections when the scope closes.
 */
export const layer = ({ allowPrivate, ports, lookup: given }: WebhookTransportOptions): Layer.Layer<WebhookTransport> =>
  Layer.effect(
    WebhookTransport,
    Effect.gen(function* () {
      const rules = { allowPrivate, ports: ports ?? (allowPrivate ? null : publicPorts) }
      const lookup =
        given ?? (allowPrivate ? NameLookup.lookupWithSystemResolver : yield* NameLookup.makeNameServerLookup())
      const agents = yield* Exchange.makeHttpAgents(yield* NameLookup.makePublicOnlyLookup(lookup, allowPrivate))
      return WebhookTransport.of({
        send: Effect.fn("WebhookTransport.send")(function* (request) {
          const url = yield* Effect.mapError(
            Effect.fromResult(ReceiverUrl.parseReceiverUrl(request.url, rules)),
            ({ constraint }) => Failure.makeRequestFailure("blocked", `The receiver's URL ${constraint}.`)
          )
          return yield* Effect.timeoutOrElse(Exchange.sendRequest(agents, url, request), {
            duration: request.timeout,
            orElse: () => Effect.fail(Failure.makeTimeoutFailure(request.timeout))
          })
        }),
        check: Effect.fn("WebhookTransport.check")(function* (text) {
          const url = yield* Effect.fromResult(ReceiverUrl.parseReceiverUrl(text, rules))
          if (allowPrivate || url.isAddress) return
          const found = yield* lookup(url.host).pipe(
            Effect.catchTag("NameNotResolved", () => Effect.succeed([])),
            Effect.timeoutOrElse({ duration: longestCheck, orElse: () => Effect.succeed([]) })
          )
          if (!found.every(EgressGuard.isPublicAddress)) {
            return yield* new WebhookUrlRefused({
              constraint: "must not name a host in a private or reserved network"
            })
          }
        })
      })
    })
  )
