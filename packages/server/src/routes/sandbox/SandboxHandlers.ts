/** Handles requests that control simulated creators. */

import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import * as Errors from "@partner-commentary/api/Errors"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import { AdvanceAssignmentBody } from "@partner-commentary/api/SandboxApi"
import { toOwner } from "@partner-commentary/core/access/Ownership"
import { SimulatedCreators } from "@partner-commentary/core/sandbox/SimulatedCreators"
import { listSimulatedActions } from "@partner-commentary/core/sandbox/Simulation"
import * as Ids from "@partner-commentary/core/shared/Ids"
import type { ActionRefused } from "@partner-commentary/core/topic/Workflow"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { decodeOptionalBody, failWithInvalidRequest, makeJsonBodyDecoder } from "../../http/Body.ts"
import * as Envelope from "../../http/Envelope.ts"
import { parseIdentifier } from "../../http/Identifier.ts"
import * as IdempotentRequests from "../../middleware/IdempotentRequests.ts"
import * as Views from "../topics/TopicViews.ts"

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "sandbox",
  Effect.fnUntraced(function* (handlers) {
    const creators = yield* SimulatedCreators
    const answerOnce = yield* IdempotentRequests.make

    return handlers.handleRaw(
      "advance",
      Effect.fnUntraced(function* ({ headers, params, request }) {
        const principal = yield* CurrentPrincipal
        // A live key always gets the response 404, whatever the request body contains.
        if (principal.environment === "live") return yield* notFound
        return yield* answerOnce({ headers, request, owner: toOwner(principal) }, ({ once }) =>
          Effect.gen(function* () {
            const { action } = yield* readBody(request)
            const id = yield* parseIdentifier(Ids.ShareId, params.share_id, notFound)
            const advanced = Effect.catchTags(creators.advance(principal, id, action ?? null), {
              AssignmentNotFound: () => Effect.fail(notFound),
              ActionRefused: (refused) => failWithInvalidRequest({ field: "action", constraint: constraintOf(refused) })
            })
            return yield* once(
              Effect.map(advanced, (one) => Envelope.makeSuccessResponse(Views.toSimulatedAssignment(one)))
            )
          })
        )
      })
    )
  })
)

const notFound = Errors.NotFound.of("Assignment not found.")

/** Decodes the optional body. Without a body, the request advances the simulated creator by one step. */
const readBody = decodeOptionalBody(makeJsonBodyDecoder(AdvanceAssignmentBody), {})

const constraintOf = ({ reason, status }: ActionRefused): string => {
  if (reason === "settled") return `comes too late: the assignment is settled, with the status ${status}`
  if (reason === "too_late") return `comes too late: the window closed while the status was ${status}`
  return `must be one of ${listSimulatedActions(status).join(", ")} while the status is ${status}`
}
