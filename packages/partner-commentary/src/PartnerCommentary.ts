/** Exports `partner-commentary`: the complete service for applications that do not use Effect. */
// `setImmediate` is imported from Node, because tests may replace the global function.
import { setImmediate } from "node:timers"
import * as Embedded from "@partner-commentary/server/Embedded"
import * as NodeListener from "@partner-commentary/server/NodeListener"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { checkNodeRequestAndResponse, checkRequestContext, checkWebRequest } from "./Arguments.ts"
import * as Log from "./Log.ts"
import type { LambdaHandler } from "./lambda/Handler.ts"
import * as Mount from "./Mount.ts"
import { decodeOptions, type Options } from "./Options.ts"
import { makeStartFailedError, makeStoppedError, PartnerCommentaryError } from "./PartnerCommentaryError.ts"
import * as RouteHandlers from "./RouteHandlers.ts"
import * as Service from "./Service.ts"
import { makeApiKeyUseCases } from "./use-cases/ApiKeys.ts"
import { makeCreatorUseCases } from "./use-cases/Creators.ts"
import { makeEventUseCases } from "./use-cases/Events.ts"
import { makeLicenseUseCases } from "./use-cases/Licenses.ts"
import { makeOperationUseCases } from "./use-cases/Operations.ts"
import { makeOrganizationUseCases } from "./use-cases/Organizations.ts"
import { makePersonaUseCases } from "./use-cases/Personas.ts"
import { makeTopicUseCases } from "./use-cases/Topics.ts"
import { makeUsageUseCases } from "./use-cases/Usage.ts"
import { makeUseCaseRunner } from "./use-cases/UseCase.ts"
import { makeWebhookUseCases } from "./use-cases/Webhooks.ts"

/**
 * The use cases accept and return plain objects with the field names of the API. A failed call rejects with a
 * PartnerCommentaryError, which has the code and the details of the API error.
 */
export interface UseCases {
  readonly organizations: ReturnType<typeof makeOrganizationUseCases>
  readonly personas: ReturnType<typeof makePersonaUseCases>
  readonly licenses: ReturnType<typeof makeLicenseUseCases>
  readonly apiKeys: ReturnType<typeof makeApiKeyUseCases>
  readonly topics: ReturnType<typeof makeTopicUseCases>
  readonly webhooks: ReturnType<typeof makeWebhookUseCases>
  readonly usage: ReturnType<typeof makeUsageUseCases>
  readonly events: ReturnType<typeof makeEventUseCases>
  readonly creators: ReturnType<typeof makeCreatorUseCases>
  readonly operations: ReturnType<typeof makeOperationUseCases>
}

/** The complete service. The first call of any method starts the service, unless `stop` was called before. */
export interface PartnerCommentary extends UseCases {
  /**
   * Handles a web-standard Request. Pass the client's address as `sent.address`. If you do not pass the client's
   * address, anonymous calls are not limited.
   */
  readonly fetch: Embedded.EmbeddedService["fetch"]
  /**
   * Handles requests of Node's HTTP server and of Express. An application may mount `pc.node` before or after body
   * parsers.
   */
  readonly node: (
    request: NodeListener.NodeRequest & { readonly baseUrl?: string },
    response: NodeListener.NodeResponse,
    next?: unknown
  ) => Promise<void>
  /**
   * The handlers for a Next.js route: `export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = pc.next`.
   * Next.js hides the client's address. Behind a proxy, set `trustedProxies`, so that the service reads the client's
   * address from `X-Forwarded-For`.
   */
  readonly next: RouteHandlers.NextRouteHandlers
  /**
   * The handler for AWS Lambda: `export const handler = pc.lambda`. The handler processes requests of API Gateway,
   * function URLs and load balancers. The handler runs due jobs when an EventBridge schedule invokes the function. Set
   * the option `workers` to false on Lambda.
   */
  readonly lambda: LambdaHandler
  /**
   * Opens the database and starts the workers. A failed start rejects with a PartnerCommentaryError. Call `start` again
   * to retry. After `stop`, only `start` starts the service again.
   */
  readonly start: () => Promise<void>
  /**
   * Ends event streams and lets running requests and calls finish for at most 10 seconds. Then `stop` interrupts the
   * others, stops the workers, and closes all connections and the database. From the call of `stop` until the next
   * `start`, requests get a response with status 503, and calls reject with the code `stopped`.
   */
  readonly stop: () => Promise<void>
  /**
   * Runs an Effect with the services of `partner-commentary`, for use cases and stores for which `PartnerCommentary`
   * has no method.
   */
  readonly run: <A, E>(effect: Effect.Effect<A, E, Service.PartnerCommentaryServices>) => Promise<A>
  /** The complete service as an Effect layer, with every use case and store. */
  readonly layer: ReturnType<typeof Service.layer>
}

/**
 * Creates the complete service. An invalid option throws a PartnerCommentaryError with the code `invalid_option`.
 *
 * ```ts
 * export const pc = partnerCommentary({ url: "https://app.example/commentary", secret, database, mail, generator })
 * app.use("/commentary", pc.node)
 * await pc.start()
 * ```
 */
export const partnerCommentary = (options: Options): PartnerCommentary => {
  const chosen = Result.getOrThrow(decodeOptions(options))
  const layer = Service.layer(chosen)
  const service = Embedded.open(layer, {
    startFailed: (cause) => makeStartFailedError("The service", cause),
    stopped: makeStoppedError
  })
  const log = (line: Effect.Effect<void>) => void Effect.runFork(Effect.provide(line, Log.layer(chosen.logger)))
  const report = (error: unknown) => log(Effect.logError("A request was not answered", Cause.die(error)))
  const mount = Mount.makeMountPathMonitor(chosen.apiRoot, (message) => log(Effect.logWarning(message)))
  const watched = <A extends { readonly status: number }>(target: string, answer: Promise<A>): Promise<A> =>
    answer.then((response) => {
      mount.answered(target, response.status)
      return response
    })
  const fetch: PartnerCommentary["fetch"] = (request, sent) => {
    const wrong = checkWebRequest(request) ?? checkRequestContext(sent)
    if (wrong !== undefined) return Promise.reject(wrong)
    return watched(sent?.target ?? new URL(request.url).pathname, service.fetch(request, sent ?? {}))
  }
  const handle: typeof service.handle = (request, sent) =>
    watched(sent.target ?? request.url, service.handle(request, sent))
  const listener = NodeListener.make({ handle }, report, setImmediate)
  const { begin: start, dispose: stop, run } = service
  const lambda = loadedOnce(() =>
    import("./lambda/Handler.ts").then(({ make }) =>
      make({
        handle,
        run,
        report: (error, id) =>
          log(Effect.annotateLogs(Effect.logError("A request was not answered", Cause.die(error)), "request_id", id))
      })
    )
  )
  const useCases = makeUseCaseRunner(run)
  return {
    fetch,
    node: (request, response) => {
      const wrong = checkNodeRequestAndResponse(request, response)
      if (wrong !== undefined) return Promise.reject(wrong)
      mount.removed(request.baseUrl)
      return listener(request, response)
    },
    next: RouteHandlers.makeNextRouteHandlers(fetch, firstAddress(chosen.trustedProxies)),
    lambda: (event, invocation) => lambda().then((handle) => handle(event, invocation)),
    start,
    stop,
    run,
    layer,
    organizations: makeOrganizationUseCases(useCases),
    personas: makePersonaUseCases(useCases),
    licenses: makeLicenseUseCases(useCases),
    apiKeys: makeApiKeyUseCases(useCases),
    topics: makeTopicUseCases(useCases),
    webhooks: makeWebhookUseCases(useCases),
    usage: makeUsageUseCases(useCases),
    events: makeEventUseCases(useCases),
    creators: makeCreatorUseCases(useCases),
    operations: makeOperationUseCases(useCases)
  }
}

const loadedOnce = <A>(load: () => Promise<A>): (() => Promise<A>) => {
  let loaded: Promise<A> | undefined
  return () => {
    loaded ??= load()
    return loaded
  }
}

/**
 * Returns the first trusted proxy or network without its prefix length. Requests through Next.js get the first trusted
 * proxy as their socket address.
 */
const firstAddress = ([first = ""]: ReadonlyArray<string> = []) => first.split("/", 1).join()

export type { Options }
export { PartnerCommentaryError }
