/**
 * Implements WebhookTransport with Node's HTTP client and the egress guard. A partner's URL cannot reach the private
 * network: its address is checked at registration and at each connection. The core signs, retries and interprets the
 * response.
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
  /** Allows `http:`, private and loopback receivers, for development with trusted partners. */
  readonly allowPrivate: boolean
  /** The allowed ports are 443 and 8443 by default; with `allowPrivate` every port. */
  readonly ports?: ReadonlyArray<number>
  /** The default is the machine's name servers; with `allowPrivate` it is the system's resolver. */
  readonly lookup?: NameLookup.NameLookup
}

const publicPorts = [443, 8443]

/**
 * If the lookup of a name takes longer than this, the name is accepted, because every connection checks the addresses
 * again.
 */
const longestCheck = "3 seconds"

/** The layer opens no connection before the first `send`. Closing the scope closes the kept connections. */
export const layer = ({ allowPrivate, ports, lookup: given }: WebhookTransportOptions): Layer.Layer<WebhookTransport> =>
  Layer.effect(
    WebhookTransport,
    Effect.gen(function* () {
      const rules = { allowPrivate, ports: ports ?? (allowPrivate ? null : publicPorts) }
      const lookup = given ?? (allowPrivate ? NameLookup.resolveBySystem : yield* NameLookup.lookupWithNameServers())
      const agents = yield* Exchange.makeHttpAgents(yield* NameLookup.guardLookup(lookup, allowPrivate))
      return WebhookTransport.of({
        send: Effect.fn("WebhookTransport.send")(function* (request) {
          const url = yield* Effect.mapError(
            Effect.fromResult(ReceiverUrl.parseReceiverUrl(request.url, rules)),
            ({ constraint }) => Failure.requestNotSent("blocked", `The receiver's URL ${constraint}.`)
          )
          return yield* Effect.timeoutOrElse(Exchange.exchangeOnce(agents, url, request), {
            duration: request.timeout,
            orElse: () => Effect.fail(Failure.timedOut(request.timeout))
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
