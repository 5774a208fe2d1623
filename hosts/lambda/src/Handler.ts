/**
 * The function that Lambda calls, made of a layer that holds the service: one runtime for all invocations of a container. What
 * the layer is made of is the caller's; `main.ts` makes it of the environment.
 */
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import { ApiCalls } from "@partner-commentary/core/usage/ApiCalls"
import * as Embedded from "@partner-commentary/server/Embedded"
import { drain } from "@partner-commentary/server/Workers"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Answer from "./Answer.ts"
import * as Call from "./Call.ts"
import * as Event from "./Event.ts"
import * as Refusal from "./Refusal.ts"

/** What this uses of Lambda's context. */
export interface Invocation {
  readonly getRemainingTimeInMillis: () => number
}

/** What a scheduled invocation did: shown where somebody invokes the function by hand. */
export interface Worked {
  readonly taken: number
  readonly more_due: boolean
}

export interface Handler {
  (event: unknown, invocation: Invocation): Promise<Answer.Answer | Worked>
  /** Begins before anybody asks. Where that fails, the first to ask learns of it. */
  readonly begin: () => Promise<void>
  /** Ends the runtime, and writes down what is not written yet. */
  readonly dispose: () => Promise<void>
}

/** The core with its ports and stores, as every host composes it. */
export type Needed = Embedded.Requirements | Effect.Services<ReturnType<typeof drain>> | ApiCalls

/** Counted calls are written down before an answer leaves, but not more often than this: afterwards the container may be frozen for good. */
const flushInterval = 1000

export const makeHandler = <Further, E>(layer: Layer.Layer<Needed | Further, E>): Handler => {
  const service = Embedded.open(layer)
  let flushedAt = Number.NEGATIVE_INFINITY

  const writeDown = async () => {
    const now = Date.now()
    if (now - flushedAt < flushInterval) return
    flushedAt = now
    await service.run(ApiCalls.use(({ flush }) => flush))
  }

  /** Of `PUBLIC_URL`, for a domain of one's own that passes it on. */
  const prefix = () =>
    service.run(PublicAddress.use(({ apiRoot }) => Effect.succeed(new URL(apiRoot).pathname.replace(/\/$/, ""))))

  const respond = async (call: Call.Call): Promise<Response> => {
    try {
      const asked = Call.toWeb(call, await prefix())
      if (asked === undefined) return Refusal.malformed(call)
      const response = await service.fetch(...asked)
      await writeDown()
      return response
    } catch (error) {
      return Refusal.unavailable(call, error)
    }
  }

  /** The last part of the time is for what was begun, and a moment more to give back what does not end. */
  const work = async (left: number): Promise<Worked> => {
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

  const handle = async (event: unknown, invocation: Invocation) => {
    const read = Event.read(event)
    if (Result.isFailure(read)) throw read.failure
    if (read.success.is === "schedule") return work(invocation.getRemainingTimeInMillis())
    const { call } = read.success
    return Answer.from(await respond(call), call.answerAs)
  }
  return Object.assign(handle, {
    begin: () => service.begin().catch(() => {}),
    dispose: service.dispose
  })
}
