/**
 * Registers the contract's endpoints with the router, for every host. `ContractRoutes` replaces Effect's
 * `HttpApiBuilder.layer`. Routes of `HttpApiBuilder.layer` copy the application's context, with over a hundred
 * services, for each request. In `ContractRoutes`, a handler runs in the context of its request.
 */
import { RateLimitExceeded } from "@partner-commentary/api/Errors"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { type HttpServerResponse, isHttpServerResponse } from "effect/http/HttpServerResponse"
import type * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import { HttpApiSchemaError } from "effect/http-api/HttpApiError"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import { getCurrentRequestRecord } from "../middleware/RequestRecord.ts"
import * as RouteIndex from "./RouteIndex.ts"

type Handled = Effect.Effect<HttpServerResponse>

/**
 * The part of Effect's group service that this module reads. Effect's `HttpApiBuilder.group` provides the group
 * service.
 */
interface GroupService {
  readonly handlers: ReadonlyMap<
    string,
    {
      readonly endpoint: HttpApiEndpoint.Top
      readonly handler: (request: unknown) => Effect.Effect<unknown, unknown, unknown>
      readonly isRaw: boolean
    }
  >
}

/** Encodes the result or the error of a handler as a response. */
type Encode = (outcome: Effect.Effect<unknown, unknown>) => Handled

type Apply = (handled: Handled, options: { readonly endpoint: HttpApiEndpoint.Top }) => Handled

export interface ContractRoutesOptions {
  /**
   * True if the router has no prefix and no other middleware. Most requests then skip the router's search, which takes
   * longer than most handlers. Other middleware of the router would run only for the requests that still need the
   * search: traced requests, and paths with a query or a percent-escape.
   */
  readonly ownsRouter?: boolean
}

/**
 * The layer has the same type as `HttpApiBuilder.layer`, so that the compiler requires every group and every
 * middleware.
 */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  { ownsRouter = false }: ContractRoutesOptions = {}
): ReturnType<typeof HttpApiBuilder.layer<Id, Groups>> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const services = yield* Effect.context<never>()
      const routes: Array<HttpRouter.Route<never, never>> = []
      for (const group of Object.values(api.groups) as unknown as ReadonlyArray<HttpApiGroup.Top>) {
        const { handlers } = services.mapUnsafe.get(group.key) as GroupService
        for (const { endpoint, handler, isRaw } of handlers.values()) {
          if (endpoint.payload.size > 0 && !isRaw) {
            return yield* Effect.die(new Error(`${endpoint.identifier} must read its body itself, with handleRaw`))
          }
          const encode = makeEncoder(api, group, endpoint)
          const answered = Effect.matchEffect(applyContract(endpoint, handler, services), {
            onSuccess: (answer) =>
              isHttpServerResponse(answer) ? Effect.succeed(answer) : encode(Effect.succeed(answer)),
            onFailure: (error) => Effect.andThen(noteRetryTime(error), encode(Effect.fail(error)))
          })
          routes.push(HttpRouter.route(endpoint.method as "GET", endpoint.path as HttpRouter.PathInput, answered))
        }
      }
      yield* router.addAll(routes)
      if (ownsRouter) yield* router.addGlobalMiddleware(findBeforeRouter(routes) as never)
    })
  ) as never

/** Runs the handlers of indexed paths like Effect's router does. A traced request needs the router for its span. */
const findBeforeRouter = (routes: ReadonlyArray<HttpRouter.Route<never, never>>) => {
  const find = RouteIndex.make(routes.map((route) => ({ ...route, handler: Effect.interruptible(route.handler) })))
  return (router: Handled): Handled =>
    Effect.withFiber((fiber) => {
      const request = Context.getUnsafe(fiber.context, HttpServerRequest.HttpServerRequest)
      const found = fiber.getRef(References.TracerEnabled) ? undefined : find(request.method, request.url)
      if (found === undefined) return router
      // The server restores the context at the end of the request.
      const context = Context.add(fiber.context, HttpServerRequest.ParsedSearchParams, {})
      fiber.setContext(Context.add(context, HttpRouter.RouteContext, found))
      return found.route.handler
    })
}

/**
 * Copies the retry time of a handler's rate-limit error to the request record. The `Retry-After` header gets its value
 * from the request record.
 */
const noteRetryTime = (error: unknown): Effect.Effect<void> =>
  error instanceof RateLimitExceeded
    ? Effect.map(getCurrentRequestRecord, (record) => {
        record.retryAfter = error.error.details.retry_after
      })
    : Effect.void

/**
 * Decodes the request parts that the contract declares. Runs the handler inside the middleware that the contract
 * declares.
 */
const applyContract = (
  endpoint: HttpApiEndpoint.Top,
  handler: (request: unknown) => Effect.Effect<unknown, unknown, unknown>,
  services: Context.Context<never>
): Effect.Effect<unknown, unknown> => {
  const decodeParams = decoder("Params", endpoint.params)
  const decodeHeaders = decoder("Headers", endpoint.headers)
  const decodeQuery = decoder("Query", endpoint.query && Schema.toCodecArrayFromSingle(endpoint.query as Schema.Top))
  const handled = Effect.withFiber(({ context }: { readonly context: Context.Context<never> }) => {
    const request = Context.getUnsafe(context, HttpServerRequest.HttpServerRequest)
    const params = decodeParams(() => Context.getUnsafe(context, HttpRouter.RouteContext).params)
    if (Exit.isFailure(params)) return params
    const headers = decodeHeaders(() => request.headers)
    if (Exit.isFailure(headers)) return headers
    const query = decodeQuery(() => Context.getUnsafe(context, HttpServerRequest.ParsedSearchParams))
    if (Exit.isFailure(query)) return query
    return handler({ request, endpoint, params: params.value, headers: headers.value, query: query.value })
  }) as Handled
  return [...(endpoint.middlewares as ReadonlySet<Context.Key<never, Apply>>)].reduce(
    (inner, key) => Context.getUnsafe(services, key)(inner, { endpoint }),
    handled
  )
}

type Decode = (read: () => unknown) => Exit.Exit<unknown, unknown>

const decoder = (kind: "Params" | "Headers" | "Query", schema: Schema.Top | undefined): Decode => {
  if (schema === undefined) return () => Exit.void
  const decode = Schema.decodeUnknownExit(schema as Schema.Codec<unknown>)
  return (read) => Exit.mapError(decode(read()), (cause) => new HttpApiSchemaError({ kind, cause }))
}

/**
 * Returns the error schemas of an endpoint and of its middleware. Effect exports `getErrorSchemas` without its type.
 */
const { getErrorSchemas } = HttpApiEndpoint as unknown as {
  readonly getErrorSchemas: (endpoint: HttpApiEndpoint.Top) => ReadonlyArray<Schema.Top>
}

/** Holds the handler's result, which the encoder must encode. */
const Outcome = Context.Reference<Effect.Effect<unknown, unknown>>("@partner-commentary/reference/Outcome", {
  defaultValue: () => Effect.void
})

/**
 * Encodes results and errors with Effect's builder. The builder receives a copy of the endpoint without request schemas
 * and middleware. The encoder of an endpoint is built when the endpoint first returns a result or an error, because
 * most handlers return a response, and a response needs no encoding.
 */
const makeEncoder = (api: HttpApi.Constraint, group: HttpApiGroup.Top, endpoint: HttpApiEndpoint.Top): Encode => {
  let built: Handled | undefined
  const encoded = Effect.suspend(() => {
    if (built !== undefined) return built
    return Effect.flatMap(buildEncoder(api, group, endpoint), (fresh) => {
      built = fresh
      return fresh
    })
  })
  return (outcome) => Effect.updateContext(encoded, (context: Context.Context<never>) => encoding(context, outcome))
}

/** Returns a small context for Effect's builder, because the builder copies the context for each request. */
const encoding = (
  context: Context.Context<never>,
  outcome: Effect.Effect<unknown, unknown>
): Context.Context<never> => {
  const { HttpServerRequest: request, ParsedSearchParams } = HttpServerRequest
  return Context.make(Outcome, outcome).pipe(
    Context.add(request, Context.getUnsafe(context, request)),
    Context.add(HttpRouter.RouteContext, Context.getUnsafe(context, HttpRouter.RouteContext)),
    Context.add(ParsedSearchParams, Context.getUnsafe(context, ParsedSearchParams))
  )
}

const buildEncoder = (
  api: HttpApi.Constraint,
  group: HttpApiGroup.Top,
  endpoint: HttpApiEndpoint.Top
): Effect.Effect<Handled> => {
  const nothing = {
    params: undefined,
    headers: undefined,
    query: undefined,
    payload: new Map(),
    middlewares: new Set()
  }
  const bare = Object.assign(Object.create(endpoint), nothing, { error: new Set(getErrorSchemas(endpoint)) })
  const groups = { [group.identifier]: { ...group, endpoints: { [endpoint.identifier]: bare } } }
  const { annotations } = api as HttpApi.Top
  const build = HttpApiBuilder.endpoint as unknown as (
    api: unknown,
    group: string,
    endpoint: string,
    handler: () => Effect.Effect<unknown, unknown>
  ) => Effect.Effect<Handled>
  return Effect.updateContext(
    build({ annotations, groups }, group.identifier, endpoint.identifier, () => Effect.flatten(Outcome)),
    (_: Context.Context<never>) => Context.empty()
  )
}
