/**
 * Creates the function that Lambda calls (`pc.lambda`). The function handles HTTP requests, and runs due jobs when a
 * schedule invokes it.
 */
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { ApiCallCounter } from "@partner-commentary/core/usage/ApiCallCounter"
import type { EmbeddedRequirements, EmbeddedService } from "@partner-commentary/server/Embedded"
import { makeStoppedResponse } from "@partner-commentary/server/embedding/StoppedResponse"
import type { HostResponse } from "@partner-commentary/server/embedding/WebHandler"
import { parseServicePathPrefix } from "@partner-commentary/server/http/Address"
import { drain } from "@partner-commentary/server/Workers"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { checkLambdaContext } from "../Arguments.ts"
import { isStoppedError, PartnerCommentaryError } from "../PartnerCommentaryError.ts"
import * as Event from "./Event.ts"
import * as GatewayRequest from "./GatewayRequest.ts"
import * as GatewayResponse from "./GatewayResponse.ts"
import * as Refusal from "./Refusal.ts"

/** The part of Lambda's context object that the handler uses. */
export interface LambdaContext {
  readonly getRemainingTimeInMillis: () => number
}

/** The result of a scheduled invocation, for an operator who invokes the function manually. */
export interface ScheduledRunResult {
  readonly taken: number
  readonly more_due: boolean
}

export type LambdaHandler = (
  event: unknown,
  invocation: LambdaContext
) => Promise<GatewayResponse.GatewayResponse | ScheduledRunResult>

/** The Effect services that the handler needs from the host. */
export type HostServices = EmbeddedRequirements | Effect.Services<ReturnType<typeof drain>> | ApiCallCounter

export interface LambdaHandlerDependencies {
  readonly handle: EmbeddedService["handle"]
  readonly run: <A, E>(effect: Effect.Effect<A, E, HostServices>) => Promise<A>
  /** Reports that the service cannot start. The next request after a failed start starts the service again. */
  readonly report: (error: unknown, requestId: string) => void
}

/**
 * The minimum interval in milliseconds between two writes of the API usage counts. The counts are written before a
 * response, because Lambda may freeze the container after the response.
 */
const flushInterval = 1000

/** The maximum time that a response waits for the write of the counts. */
const maxFlushWait = Duration.seconds(3)

export const make = ({ handle, report, run }: LambdaHandlerDependencies): LambdaHandler => {
  let flushedAt = Number.NEGATIVE_INFINITY

  const flush = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (now - flushedAt < flushInterval) return
    flushedAt = now
    // A slow write continues, because an interruption would wait for the database as well.
    const writing = yield* Effect.forkDetach((yield* ApiCallCounter).flush)
    yield* Effect.timeoutOption(Fiber.await(writing), maxFlushWait)
  })

  const prefix = PublicAddress.use(({ apiRoot }) => Effect.succeed(parseServicePathPrefix(apiRoot)))

  const answer = (call: GatewayRequest.GatewayRequest): Promise<HostResponse> =>
    run(prefix)
      .then((prefix) => {
        const asked = GatewayRequest.toServerRequest(call, prefix)
        if (asked === undefined) return Refusal.makeMalformedRequestResponse(call)
        // The flush fails only if the service stops, and a stopping service writes the counts itself.
        return handle(...asked).then((response) =>
          run(flush).then(
            () => response,
            () => response
          )
        )
      })
      .catch((error) => {
        if (isStoppedError(error)) return makeStoppedResponse(call.headers["x-request-id"])
        const id = Refusal.findOrGenerateRequestId(call)
        report(error, id)
        return Refusal.makeFailedStartResponse(id)
      })

  /**
   * Runs due jobs in a scheduled invocation. The invocation ends after `left` milliseconds. The function stops claiming
   * jobs early enough that running jobs can finish and unfinished jobs can be released before the invocation ends.
   */
  const work = Effect.fnUntraced(function* (left: number) {
    const end = left - Math.min(3000, left / 5)
    const { failed, isMoreDue, taken } = yield* drain({
      claimFor: Duration.millis(end * 0.75),
      runFor: Duration.millis(end),
      lookahead: Duration.seconds(5)
    })
    // Let the scheduled invocation fail, so that an alarm can report the failed batches.
    if (failed > 0) {
      const message = `${failed} batches of work failed: the log has the reasons`
      return yield* new PartnerCommentaryError({ code: "internal_error", message, details: {} })
    }
    return { taken, more_due: isMoreDue }
  })

  return (event, invocation) =>
    Effect.runPromise(Effect.fromResult(Event.decodeLambdaEvent(event))).then((read) => {
      if (read.is === "call") {
        return answer(read.call).then((response) => GatewayResponse.fromHostResponse(response, read.call.answerAs))
      }
      const wrong = checkLambdaContext(invocation)
      return wrong === undefined ? run(work(invocation.getRemainingTimeInMillis())) : Promise.reject(wrong)
    })
}
