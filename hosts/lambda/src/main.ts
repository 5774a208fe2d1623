/**
 * The entry point with Lambda's `handler`. The service starts during Lambda's initialization phase. Lambda does not use
 * the Node host's schema compiler, because the compiler saves microseconds per request but costs milliseconds per
 * start.
 */
import * as Environment from "./Environment.ts"
import { makeHandler } from "./Handler.ts"

/** @public Lambda calls the function by this name. */
export const handler = makeHandler(Environment.layer)

/**
 * The initialization phase waits at most this many milliseconds for the start, because Lambda limits the phase to ten
 * seconds. If the service does not start within the initialization phase, the first request waits for the service.
 */
const startTimeoutMs = 5000

await Promise.race([handler.begin(), new Promise((resolve) => setTimeout(resolve, startTimeoutMs).unref())])

process.once("SIGTERM", () => {
  void handler.dispose().finally(() => process.exit(0))
})
