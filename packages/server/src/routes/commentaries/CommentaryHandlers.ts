/** Handles requests with which the partner approves commentaries. */

import { CurrentPrincipal } from "@partner-commentary/api/ApiKeyAuth"
import * as Errors from "@partner-commentary/api/Errors"
import { PartnerApi } from "@partner-commentary/api/PartnerApi"
import type { Principal } from "@partner-commentary/core/access/ApiKeys"
import { toOwner } from "@partner-commentary/core/access/Ownership"
import { PartnerApproval } from "@partner-commentary/core/commentary/PartnerApproval"
import * as Ids from "@partner-commentary/core/shared/Ids"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as Option from "effect/Option"
import * as Envelope from "../../http/Envelope.ts"
import { parseIdentifier } from "../../http/Identifier.ts"
import * as IdempotentRequests from "../../middleware/IdempotentRequests.ts"
import { defaultAvatarPath } from "../personas/Avatar.ts"
import * as Views from "../topics/TopicViews.ts"

export const layer = HttpApiBuilder.group(
  PartnerApi,
  "commentaries",
  Effect.fnUntraced(function* (handlers) {
    const approval = yield* PartnerApproval
    const { apiRoot } = yield* PublicAddress
    const answerOnce = yield* IdempotentRequests.make
    const avatar = apiRoot + defaultAvatarPath

    const approve = Effect.fnUntraced(function* (
      principal: Principal,
      params: { readonly id: string; readonly commentary_id: string }
    ) {
      const topicId = yield* parseIdentifier(Ids.TopicId, params.id, Errors.topicNotFound)
      const commentaryId = Option.getOrNull(Ids.parse(Ids.CommentaryId, params.commentary_id))
      const approved = yield* Effect.catchTags(approval.approve(principal, topicId, commentaryId), {
        TopicNotFound: () => Effect.fail(Errors.topicNotFound),
        CommentaryNotFound: () => Effect.fail(Errors.commentaryNotFound)
      })
      return Envelope.makeSuccessResponse(Views.toPartnerApprovedCommentary(topicId, approved, avatar))
    })

    return handlers.handleRaw(
      "approve",
      Effect.fnUntraced(function* ({ headers, params, request }) {
        const principal = yield* CurrentPrincipal
        return yield* answerOnce({ headers, request, owner: toOwner(principal) }, ({ once }) =>
          once(approve(principal, params))
        )
      })
    )
  })
)
