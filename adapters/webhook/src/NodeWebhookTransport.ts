/**
 * The WebhookTransport on Node's HTTP client, with the egress guard: a partner's URL never leads into the private network, when it is
 * registered or when a connection is made. The core signs, retries and judges the response.
 */
import { WebhookTransport, WebhookUrlRefused } from "@partner-commentary/core/webhook/WebhookTransport"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as EgressGuard from "./EgressGuard.ts"
import * as Exchange from "./Exchange.ts"
import * as Failure from "./Failure.ts"
import * as NameLookup from "./NameLookup.ts"
import * as ReceiverUrl from "./ReceiverUrl.ts"

export interface Options {
  /** Allows `http:`, private and loopback receivers, for development with trusted partners. */
  readonly allowPrivate: boolean
  /** 443 and 8443 by default; with `allowPrivate` every port. */
  readonly ports?: ReadonlyArray<number>
  /** By default the machine's name servers; with `allowPrivate` the system's resolver. */
  readonly lookup?: NameLookup.Lookup
}

const publicPorts = [443, 8443]

/** A name that takes longer is accepted, because every connection checks its addresses again. */
const longestCheck = "3 seconds"

/** Opens no connection before the first `send`. Closing the scope closes kept connections. */
export const layer = ({ allowPrivate, ports, lookup: given }: Options): Layer.Layer<WebhookTransport> =>
  Layer.effect(
    WebhookTransport,
    Effect.gen(function* () {
      const rules = { allowPrivate, ports: ports ?? (allowPrivate ? null : publicPorts) }
      const lookup = given ?? (allowPrivate ? NameLookup.system : yield* NameLookup.nameServers())
      const agents = yield* Exchange.agents(yield* NameLookup.guarded(lookup, allowPrivate))
      return WebhookTransport.of({
        send: Effect.fn("WebhookTransport.send")(function* (request) {
          const url = yield* Effect.mapError(
            Effect.fromResult(ReceiverUrl.parse(request.url, rules)),
            ({ constraint }) => Failure.notSent("blocked", `The receiver's URL ${constraint}.`)
          )
          return yield* Effect.timeoutOrElse(Exchange.exchange(agents, url, request), {
            duration: request.timeout,
            orElse: () => Effect.fail(Failure.late(request.timeout))
          })
        }),
        check: Effect.fn("WebhookTransport.check")(function* (text) {
          const url = yield* Effect.fromResult(ReceiverUrl.parse(text, rules))
          if (allowPrivate || url.isAddress) return
          const found = yield* lookup(url.host).pipe(
            Effect.catchTag("NameNotResolved", () => Effect.succeed([])),
            Effect.timeoutOrElse({ duration: longestCheck, orElse: () => Effect.succeed([]) })
          )
          if (!found.every(EgressGuard.isPublic)) {
            return yield* new WebhookUrlRefused({
              constraint: "must not name a host in a private or reserved network"
            })
          }
        })
      })
    })
  )
