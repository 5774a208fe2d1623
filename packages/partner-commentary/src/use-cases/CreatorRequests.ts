/**
 * Provides the functions of `pc.creators` for applications that show requests to creators in their own pages. The
 * application must have authenticated the creator. The same rules apply as when the creator uses the link in a mail.
 */
import * as Errors from "@partner-commentary/api/Errors"
import { CreatorPortal } from "@partner-commentary/core/creator/CreatorPortal"
import type * as Ids from "@partner-commentary/core/shared/Ids"
import { PublicAddress } from "@partner-commentary/core/shared/PublicAddress"
import {
  type CreatorAction,
  type CreatorActionFields,
  performCreatorAction
} from "@partner-commentary/server/creator-portal/CreatorAction"
import { toCreatorPageJson } from "@partner-commentary/server/creator-portal/CreatorView"
import { type CreatorActionError, toActionRefusal } from "@partner-commentary/server/creator-portal/Refusal"
import { strictParseOptions } from "@partner-commentary/server/embedding/OptionRules"
import { defaultAvatarPath } from "@partner-commentary/server/routes/personas/Avatar"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Text from "./Text.ts"
import { makeDecoder, makeNotFoundError, type RunUseCase, ShareIdInput, type TransactionOption } from "./UseCase.ts"

export interface CreatorRequest {
  /**
   * The mail address of the creator, whom your application has authenticated. If `share_id` belongs to another creator,
   * the call fails with `not_found`.
   */
  readonly email: string
  readonly share_id: string
}

export interface ReviewedDraftOption {
  /**
   * The id of the draft that the creator has seen. The id is optional for the first draft. After a revision the id is
   * required: without it, the call is rejected.
   */
  readonly draft_id?: string | undefined
}

export interface OptionalReasonInput {
  readonly reason?: string | undefined
}

const decodeCreator = makeDecoder(Schema.Struct({ email: Text.EmailSchema }))
const request = { email: Text.EmailSchema, share_id: ShareIdInput }
const decodeRequest = makeDecoder(Schema.Struct(request))

type Action = { readonly email: string; readonly share_id: Ids.ShareId } & CreatorActionFields

/**
 * Decodes the input of an action and rejects unknown fields. If unknown fields were ignored, an approval with a
 * misspelt `content` would publish the wrong text.
 */
const action = (...texts: ReadonlyArray<keyof CreatorActionFields>) => {
  const fields = Object.fromEntries(texts.map((name) => [name, Schema.optional(Schema.String)]))
  const schema = Schema.Struct({ ...request, ...fields }).annotate({
    messageUnexpectedKey: "is no field of this action"
  })
  return makeDecoder(schema as unknown as Schema.Codec<Action>, strictParseOptions)
}

const inputs: Readonly<Record<CreatorAction, ReturnType<typeof action>>> = {
  respond: action("perspective"),
  decline: action("reason"),
  approve: action("draft_id", "content"),
  revise: action("draft_id", "instructions"),
  withdraw: action("reason")
}

const notFound = makeNotFoundError("request of this creator")

const avatar = PublicAddress.use(({ apiRoot }) => Effect.succeed(apiRoot + defaultAvatarPath))

const acting = (run: RunUseCase, name: CreatorAction) => (input: unknown, options?: TransactionOption) =>
  run(
    Effect.gen(function* () {
      const { email, share_id, ...fields } = yield* inputs[name](input)
      const portal = yield* CreatorPortal
      const access = { email, shareId: share_id }
      const refuse = (reason: CreatorActionError) =>
        Effect.flatMap(portal.view(access), ({ assignment }) =>
          Effect.fail(Errors.InvalidRequest.of([toActionRefusal(name, reason, assignment, fields).problem]))
        )
      const done = yield* performCreatorAction(portal, access, name, fields).pipe(
        Effect.catchTags({ TextLength: refuse, Malformed: refuse, ActionRefused: refuse })
      )
      return toCreatorPageJson(done, yield* avatar)
    }).pipe(Effect.catchTag("LinkInvalid", () => Effect.fail(notFound))),
    options
  )

type Acted = ReturnType<ReturnType<typeof acting>>

export const makeCreatorRequestUseCases = (run: RunUseCase) => {
  const act = <Fields>(name: CreatorAction) =>
    acting(run, name) as (input: CreatorRequest & Fields, options?: TransactionOption) => Acted
  return {
    /**
     * Lists the creator's open requests, oldest first, at most 100. Each request contains the link of its page.
     * `further` is the number of open requests beyond the listed ones.
     */
    openRequests: (creator: { readonly email: string }) =>
      run(
        Effect.gen(function* () {
          const { email } = yield* decodeCreator(creator)
          const portal = yield* CreatorPortal
          const { further, requests } = yield* portal.openRequests({ email })
          const picture = yield* avatar
          return {
            requests: requests.map((each) => ({ ...toCreatorPageJson(each, picture), link: each.link })),
            further
          }
        }).pipe(Effect.catchTag("LinkInvalid", Effect.die))
      ),

    /** Reads one request with its draft. A request can still be read for 30 days after it is closed. */
    findRequest: (asked: CreatorRequest) =>
      run(
        Effect.gen(function* () {
          const { email, share_id } = yield* decodeRequest(asked)
          const portal = yield* CreatorPortal
          return toCreatorPageJson(yield* portal.view({ email, shareId: share_id }), yield* avatar)
        }).pipe(Effect.catchTag("LinkInvalid", () => Effect.fail(notFound)))
      ),

    /** Submits the creator's view of the topic, from which the service generates a draft. */
    respond: act<{ readonly perspective: string }>("respond"),
    /** Declines a request that waits for the creator's view. */
    decline: act<OptionalReasonInput>("decline"),
    /**
     * Approves the draft, or `content` instead of the draft. After the approval, the partner can fetch the commentary.
     */
    approve: act<ReviewedDraftOption & { readonly content?: string | undefined }>("approve"),
    /** Requests another draft from the generator. */
    revise: act<ReviewedDraftOption & { readonly instructions?: string | undefined }>("revise"),
    /** Withdraws the creator's view after it was submitted. A withdrawn request ends without a commentary. */
    withdraw: act<OptionalReasonInput>("withdraw")
  }
}
