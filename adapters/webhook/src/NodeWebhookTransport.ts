/**
 * The WebhookTransport on Node's own HTTP, with the egress guard: a partner's URL never leads into our network, neither when it is
 * registered nor when a connection is made. Signing, retrying and judging the answer are the core's.
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
  /** Also `http:`, private and loopback receivers: for development, where all who register are trusted. */
  readonly allowPrivate: boolean
  /** 443 and 8443 unless given; with `allowPrivate` every port. */
  readonly ports?: ReadonlyArray<number>
  /** The machine's name servers unless given; with `allowPrivate` whatever the machine itself goes by. */
  readonly lookup?: NameLookup.Lookup
}

const publicPorts = [443, 8443]

/** A name that takes longer is accepted: what it leads to is looked at again by every dial. */
const longestCheck = "3 seconds"

/** Opens no connection before the first `send`; closing the scope closes those that are kept. */
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
