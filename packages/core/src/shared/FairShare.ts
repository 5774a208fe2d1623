/**
 * Whose share of a process's scarce resources, such as database connections, the current work takes. Requests of one organization
 * have one share together. Everything else, workers and shared batches among it, has another one.
 */
import * as Context from "effect/Context"

export const FairShare = Context.Reference<string>("@partner-commentary/core/shared/FairShare", {
  defaultValue: () => ""
})
