/**
 * The entry point exports Lambda's `handler`. The service starts during Lambda's initialization phase. Unlike the Node
 * host, the function does not enable the schema compiler, which saves microseconds a request but costs milliseconds a
 * start.
 */
import * as Environment from "./Environment.ts"
import { makeHandler } from "./Handler.ts"

/** @public Lambda calls the handler by this name. */
export const handler = makeHandler(Environment.layer)

/**
 * Lambda limits the initialization to ten seconds. The module waits for the service for at most this many milliseconds.
 * A slower start delays the first request.
 */
const patience = 5000

await Promise.race([handler.begin(), new Promise((resolve) => setTimeout(resolve, patience).unref())])

process.once("SIGTERM", () => {
  void handler.dispose().finally(() => process.exit(0))
})
