/**
 * Provides `pc.creators`: functions for operators, such as changing a creator's address, and the actions of creators
 * themselves.
 */
import * as Errors from "@partner-commentary/api/Errors"
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { makeCreatorRequestUseCases } from "./CreatorRequests.ts"
import * as Text from "./Text.ts"
import { makeDecoder, makeNotFoundError, type RunUseCase, ShareIdInput, type TransactionOption } from "./UseCase.ts"

const moved = makeDecoder(Schema.Struct({ from: Text.EmailSchema, to: Text.EmailSchema }))
const erased = makeDecoder(Schema.Struct({ email: Text.EmailSchema }))
const one = makeDecoder(Schema.Struct({ share_id: ShareIdInput }))

const settled = Errors.InvalidRequest.of([
  { field: "share_id", constraint: "must name a request that waits for a mail" }
])

export const makeCreatorUseCases = (run: RunUseCase) => ({
  ...makeCreatorRequestUseCases(run),

  /**
   * Changes a creator's mail address. Links in old mails stop working, and the mails about open requests are sent to
   * the new address. Call `changeEmail` again a minute later: a submission that runs meanwhile may use the old address.
   */
  changeEmail: (change: { readonly from: string; readonly to: string }, options?: TransactionOption) =>
    run(
      Effect.flatMap(moved(change), ({ from, to }) =>
        CreatorAdministration.use(({ changeEmail }) => changeEmail(from, to))
      ),
      options
    ),

  /**
   * Erases the personal data of a creator. The creator's approved commentaries stay, and the creator's open requests
   * are closed. Call `erase` again a minute later: a submission that runs meanwhile may store the personal data again.
   */
  erase: (creator: { readonly email: string }, options?: TransactionOption) =>
    run(
      Effect.flatMap(erased(creator), ({ email }) => CreatorAdministration.use(({ erase }) => erase(email))),
      options
    ),

  /** Resends the mail about the current step of a request. */
  resendMail: (request: { readonly share_id: string }, options?: TransactionOption) =>
    run(
      Effect.flatMap(one(request), ({ share_id }) =>
        CreatorAdministration.use(({ resendMail }) => resendMail(share_id)).pipe(
          Effect.catchTags({
            AssignmentNotFound: () => Effect.fail(makeNotFoundError("request")),
            ActionRefused: () => Effect.fail(settled)
          }),
          Effect.map((kind) => ({ mail: kind }))
        )
      ),
      options
    )
})
