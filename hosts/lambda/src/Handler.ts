/**
 * Makes the function that Lambda calls. The argument is the Effect layer with the service, which `main.ts` makes from
 * the environment variables. All invocations of a container share one runtime.
 */
import * as Embedded from "@partner-commentary/server/Embedded"
import type * as Layer from "effect/Layer"
import * as Lambda from "partner-commentary/lambda/Handler"
import { makeStoppedError } from "partner-commentary/PartnerCommentaryError"

export type { HostServices } from "partner-commentary/lambda/Handler"

export interface LambdaHandler extends Lambda.LambdaHandler {
  /** Starts the service before the first request. If the start fails, the first request gets the failure. */
  readonly begin: () => Promise<void>
  /** Stops the runtime and persists pending call counts. */
  readonly dispose: () => Promise<void>
}

export const makeHandler = <Further, E>(layer: Layer.Layer<Lambda.HostServices | Further, E>): LambdaHandler => {
  const { begin, dispose, handle, run } = Embedded.open(layer, {
    startFailed: (cause) => cause,
    stopped: makeStoppedError
  })
  return Object.assign(Lambda.make({ handle, report, run }), { begin: () => begin().catch(() => {}), dispose })
}

/** Writes a JSON line in the format of the service's log. A service whose start failed has no logger. */
const report = (error: unknown, requestId: string) => {
  process.stderr.write(
    `${JSON.stringify({
      message: "A request failed because the service could not start; the next request retries",
      level: "ERROR",
      timestamp: new Date().toISOString(),
      annotations: { request_id: requestId },
      cause: error instanceof Error ? (error.stack ?? error.message) : String(error)
    })}\n`
  )
}
