/**
 * The share of a process's scarce resources, such as database connections, that the current work uses. All requests of
 * one organization use one share. All other work, including workers and shared batches, uses another share.
 */
import * as Context from "effect/Context"

export const FairShare = Context.Reference<string>("@partner-commentary/core/shared/FairShare", {
  defaultValue: () => ""
})
