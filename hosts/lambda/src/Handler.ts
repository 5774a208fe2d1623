/**
 * Makes the function that Lambda calls from a layer with the service. All invocations of a container share one runtime.
 * `main.ts` makes the layer from the environment.
 */
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { ApiCalls } from "@partner-commentary/core/usage/ApiCalls"
import * as Embedded from "@partner-commentary/server/Embedded"
import { drain } from "@partner-commentary/server/Workers"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Event from "./Event.ts"
import * as GatewayRequest from "./GatewayRequest.ts"
import * as GatewayResponse from "./GatewayResponse.ts"
import * as Refusal from "./Refusal.ts"

/** The fields of Lambda's context that the handler uses. */
export interface LambdaInvocation {
  readonly getRemainingTimeInMillis: () => number
}

/** The result of a scheduled invocation, which a manual invocation displays. */
export interface ScheduleResult {
  readonly taken: number
  readonly more_due: boolean
}

export interface LambdaHandler {
  (event: unknown, invocation: LambdaInvocation): Promise<GatewayResponse.GatewayResponse | ScheduleResult>
  /** Starts the service before the first request. If the start fails, that request gets the failure. */
  readonly begin: () => Promise<void>
  /** Stops the runtime and persists pending counts. */
  readonly dispose: () => Promise<void>
}

/** The services that a host composes from the core, its ports and stores. */
export type HostServices = Embedded.EmbeddedRequirements | Effect.Services<ReturnType<typeof drain>> | ApiCalls

/** Counts are persisted before a response, at most this often, because the container may be frozen after it. */
const flushInterval = 1000

export const makeHandler = <Further, E>(layer: Layer.Layer<HostServices | Further, E>): LambdaHandler => {
  const service = Embedded.open(layer)
  let flushedAt = Number.NEGATIVE_INFINITY

  const writeDown = async () => {
    const now = Date.now()
    if (now - flushedAt < flushInterval) return
    flushedAt = now
    await service.run(ApiCalls.use(({ flush }) => flush))
  }

  /** The path of `PUBLIC_URL`, for a custom domain that passes its base path on. */
  const prefix = () =>
    service.run(PublicAddress.use(({ apiRoot }) => Effect.succeed(new URL(apiRoot).pathname.replace(/\/$/, ""))))

  const respond = async (call: GatewayRequest.GatewayRequest): Promise<Response> => {
    try {
      const asked = GatewayRequest.toWebRequest(call, await prefix())
      if (asked === undefined) return Refusal.malformedEventResponse(call)
      const response = await service.fetch(...asked)
      await writeDown()
      return response
    } catch (error) {
      return Refusal.unavailableResponse(call, error)
    }
  }

  /** Reserves time at the end for jobs in progress, and for releasing those that do not finish. */
  const work = async (left: number): Promise<ScheduleResult> => {
    const end = left - Math.min(3000, left / 5)
    const limits = {
      claimFor: Duration.millis(end * 0.75),
      runFor: Duration.millis(end),
      lookahead: Duration.seconds(5)
    }
    const { failed, isMoreDue, taken } = await service.run(drain(limits))
    if (failed > 0) throw new Error(`${failed} rounds of work failed: the log says why`)
    return { taken, more_due: isMoreDue }
  }

  const handle = async (event: unknown, invocation: LambdaInvocation) => {
    const read = Event.readEvent(event)
    if (Result.isFailure(read)) throw read.failure
    if (read.success.is === "schedule") return work(invocation.getRemainingTimeInMillis())
    const { call } = read.success
    return GatewayResponse.fromWebResponse(await respond(call), call.answerAs)
  }
  return Object.assign(handle, {
    begin: () => service.begin().catch(() => {}),
    dispose: service.dispose
  })
}
