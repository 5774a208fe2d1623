/**
 * The function that Lambda calls, made of a layer that holds the service: one runtime for all invocations of a container. What
 * the layer is made of is the caller's; `main.ts` makes it of the environment.
 */
import { ApiCalls } from "@partner-commentary/core/usage/ApiCalls"
import * as Embedded from "@partner-commentary/server/Embedded"
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

export interface Options {
  /** What stands before every path behind a domain of one's own: the path of `PUBLIC_URL`. Without a slash at its end. */
  readonly pathPrefix?: string
}

export interface Handler {
  (event: unknown, invocation: Invocation): Promise<Answer.Answer>
  /** Ends the runtime, and writes down what is not written yet. */
  readonly dispose: () => Promise<void>
}

/** Counted calls are written down before an answer leaves, but not more often than this: afterwards the container may be frozen for good. */
const flushInterval = 1000

export const makeHandler = <Further, E>(
  layer: Layer.Layer<Embedded.Needed | Further, E>,
  { pathPrefix = "" }: Options = {}
): Handler => {
  const service = Embedded.open(layer)
  let flushedAt = Number.NEGATIVE_INFINITY

  const writeDown = async () => {
    const now = Date.now()
    if (now - flushedAt < flushInterval) return
    flushedAt = now
    await service.run(ApiCalls.use(({ flush }) => flush))
  }

  const answer = async (call: Call.Call): Promise<Response> => {
    let asked: ReturnType<typeof Call.toWeb>
    try {
      asked = Call.toWeb(call)
    } catch {
      return Refusal.malformed(call)
    }
    try {
      const response = await service.fetch(...asked)
      await writeDown()
      return response
    } catch (error) {
      return Refusal.unavailable(call, error)
    }
  }

  const handle = async (event: unknown): Promise<Answer.Answer> => {
    const read = Event.read(event, pathPrefix)
    if (Result.isFailure(read)) throw read.failure
    if (read.success.is === "schedule") throw new Event.EventRefused({ message: "This function takes no schedule" })
    const { call } = read.success
    return Answer.from(await answer(call), call.answerAs)
  }
  return Object.assign(handle, { dispose: service.dispose })
}
