/** The entry point: `handler` is what Lambda calls. The service begins while Lambda is still setting the container up. */
import "effect/schema/SchemaJITCompiler/enable"
import * as Environment from "./Environment.ts"
import { makeHandler } from "./Handler.ts"

/** @public Lambda calls it by this name. */
export const handler = makeHandler(Environment.layer)

/** Setting up may not take more than ten seconds; what is not there by then is waited for by the first request. */
const patience = 5000

await Promise.race([handler.begin(), new Promise((resolve) => setTimeout(resolve, patience).unref())])

process.once("SIGTERM", () => {
  void handler.dispose().finally(() => process.exit(0))
})
