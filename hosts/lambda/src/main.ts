/**
 * The entry point with Lambda's `handler`. The service starts during Lambda's initialization phase. The schema compiler
 * of the Node host is not enabled here: it saves microseconds a request, and costs milliseconds a start.
 */
import * as Environment from "./Environment.ts"
import { makeHandler } from "./Handler.ts"

/** @public Lambda calls it by this name. */
export const handler = makeHandler(Environment.layer)

/** Initialization is limited to ten seconds. After that the first request waits for the service. */
const patience = 5000

await Promise.race([handler.begin(), new Promise((resolve) => setTimeout(resolve, patience).unref())])

process.once("SIGTERM", () => {
  void handler.dispose().finally(() => process.exit(0))
})
