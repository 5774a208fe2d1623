/** What a submission costs of its key's hourly limit, where one request makes several. Without it, nothing is counted. */
import type * as Errors from "@partner-commentary/api/Errors"
import type { Principal } from "@partner-commentary/core/access/ApiKeys"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export const SubmissionLimit = Context.Reference<{
  /** Counts one; fails where the limit is used up, and counts nothing then. */
  readonly spend: (principal: Principal) => Effect.Effect<void, Errors.RateLimitExceeded>
}>("@partner-commentary/server/SubmissionLimit", { defaultValue: () => ({ spend: () => Effect.void }) })
