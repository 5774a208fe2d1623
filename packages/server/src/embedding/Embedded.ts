/**
 * Provides the service as an object whose methods return promises, for applications that do not use Effect.
 * `NodeListener.ts` turns the object into a listener for Node's HTTP server.
 */
import { LongPolls } from "@partner-commentary/core/access/LongPolls"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as RunningCalls from "./RunningCalls.ts"
import { makeStoppedResponse } from "./StoppedResponse.ts"
import { type HostRequestInfo, WebHandler } from "./WebHandler.ts"

/** The services that the routes require: the core with its ports, the public address, crypto. */
export type EmbeddedRequirements = Layer.Services<typeof WebHandler.layer>

export interface EmbeddedService<R = EmbeddedRequirements> {
  /**
   * Handles a request. Errors become error responses, and bodies are streamed. If the client aborts the request, the
   * service stops handling the request. Pass the client's address as `sent.address`. Without the client's address,
   * anonymous calls have no rate limit, and API keys with an address list are rejected. The promise rejects only if the
   * service cannot start.
   */
  readonly fetch: (request: Request, sent?: HostRequestInfo) => Promise<Response>
  /** Handles a request like `fetch`. `NodeListener` writes most responses without a web Response. */
  readonly handle: WebHandler["Service"]["handle"]
  /** Runs an effect with the services of the routes: use cases, registries and stores. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, R>) => Promise<A>
  /**
   * Opens the database and starts the workers. The promise rejects when the database or the workers fail to start.
   * After `dispose`, `begin` starts the service again.
   */
  readonly begin: () => Promise<void>
  /**
   * Ends event streams and long polls, lets running calls finish for at most 10 seconds, and interrupts the other
   * calls. Then `dispose` stops the workers and closes the connections. Interrupted requests, and all requests until
   * the next `begin`, get a response with status 503. The promises of interrupted effects, and of `run` until the next
   * `begin`, reject.
   */
  readonly dispose: () => Promise<void>
}

/** Makes the errors with which the calls reject. */
export interface CallErrors {
  readonly startFailed: (cause: unknown) => unknown
  readonly stopped: (message: string) => unknown
}

const plainErrors: CallErrors = { startFailed: (cause) => cause, stopped: (message) => new Error(message) }

const stopping = "The service is stopping."
const stopped = "The service was stopped; call start() to use it again."

/**
 * Opens the service with the given layer. The given layer contains the core with its ports. Add `Workers.layer` if this
 * process should also run jobs. The first call of any method starts the service, unless `dispose` was called before. If
 * the start fails, the next call retries the start.
 *
 * ```ts
 * const service = open(layer)
 * await service.begin()
 * const response = await service.fetch(request, { address: "203.0.113.9" })
 * await service.dispose()
 * ```
 */
export const open = <Further, E>(
  layer: Layer.Layer<EmbeddedRequirements | Further, E>,
  errors: CallErrors = plainErrors
): EmbeddedService<EmbeddedRequirements | Further> => {
  type Services = EmbeddedRequirements | Further
  const whole = Layer.provideMerge(WebHandler.layer, layer)
  let present: Session<Services> | undefined
  let isStopped = false
  let lastStop = Promise.resolve()

  const begun = (): Session<Services> => {
    if (present !== undefined) return present
    const session = makeSession(whole, lastStop, (error) => {
      if (present === session) present = undefined
      return errors.startFailed(error)
    })
    present = session
    return session
  }
  const refuse = (message: string) => Promise.reject(errors.stopped(message))
  const call = <A>(
    make: (started: Started<Services>) => Promise<A>,
    refused: (message: string) => Promise<A>
  ): Promise<A> => (isStopped ? refused(stopped) : begun().call(make, () => refused(stopping)))

  return {
    fetch: (request, sent) =>
      call(
        ({ handler }) => handler.respond(request, sent),
        () => {
          const { body, headers, status } = makeStoppedResponse(request.headers.get("x-request-id") ?? undefined)
          return Promise.resolve(new Response(request.method === "HEAD" ? null : body, { headers, status }))
        }
      ),
    handle: (request, sent) =>
      call(
        ({ handler }) => handler.handle(request, sent),
        () => Promise.resolve(makeStoppedResponse(request.headers["x-request-id"]))
      ),
    run: (effect) => call(({ run }) => run(effect), refuse),
    begin: () => {
      isStopped = false
      return call(() => Promise.resolve(), refuse)
    },
    dispose: () => {
      isStopped = true
      const stop = present?.stop() ?? lastStop
      present = undefined
      lastStop = stop.catch(() => {})
      return stop
    }
  }
}

interface Started<R> {
  readonly handler: WebHandler["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E, R>) => Promise<A>
}

/** The service between a start and the following stop. */
interface Session<R> {
  /** Makes a call when the service has started. The result is `refused` if the service stops before the call ends. */
  readonly call: <A>(make: (started: Started<R>) => Promise<A>, refused: () => Promise<A>) => Promise<A>
  readonly stop: () => Promise<void>
}

/** Starts the service when the previous session has stopped. */
const makeSession = <R, E>(
  whole: Layer.Layer<R | EmbeddedRequirements | WebHandler, E>,
  lastStop: Promise<void>,
  startFailed: (error: unknown) => unknown
): Session<R | EmbeddedRequirements> => {
  const runtime = ManagedRuntime.make(whole)
  const calls = RunningCalls.make()
  let isStarted = false
  let isStopping = false
  const started = lastStop
    .then(() => runtime.context())
    .then(
      (context) => {
        isStarted = true
        return { handler: Context.get(context, WebHandler), run: runtime.runPromise }
      },
      (error) => runtime.dispose().then(() => Promise.reject(startFailed(error)))
    )
  return {
    call: (make, refused) =>
      calls.add(
        started.then(make, (error) => (isStopping ? refused() : Promise.reject(error))),
        refused
      ),
    stop: () => {
      isStopping = true
      if (!isStarted) return runtime.dispose().then(() => lastStop)
      const end = Effect.andThen(
        LongPolls.use(({ stop }) => stop),
        calls.drain
      )
      return runtime.runPromise(end).then(() => runtime.dispose())
    }
  }
}
