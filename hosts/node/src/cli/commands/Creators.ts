/**
 * Defines the commands `creator …`, which change or erase a creator's data, and `retry`, which restarts the generation
 * of drafts.
 */
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import { ShareId } from "@partner-commentary/core/shared/Ids"
import { toIsoOrNull } from "@partner-commentary/core/shared/Instant"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import type { ActionRefused } from "@partner-commentary/core/topic/Workflow"
import * as Parser from "@partner-commentary/settings/Parser"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Administration from "../Administration.ts"
import { CommandFailed, failWithUsageErrorIf } from "../CommandFailed.ts"
import { printResult } from "../Output.ts"
import * as Parameter from "../Parameter.ts"

const shareId = Parameter.declarePositionalArgument(
  "share_id",
  Parser.makeIdParser(ShareId),
  "The share_id of an assignment"
)

export const retryDraftCommand = Command.make(
  "retry",
  {
    shareId: Argument.optional(shareId),
    all: Flag.Boolean("all").pipe(Flag.withDescription("Every generation that finally failed"), Flag.withDefault(false))
  },
  Effect.fn(function* ({ all, shareId }) {
    yield* failWithUsageErrorIf(
      all !== Option.isNone(shareId),
      "Give one share_id, or --all for every generation that finally failed."
    )
    const asked = Option.match(shareId, { onNone: () => retryAll, onSome: retryOne })
    return yield* Effect.provide(asked, Administration.layer)
  })
).pipe(Command.withDescription("Restart the generation of a draft"))

const retryOne = Effect.fnUntraced(function* (shareId: ShareId) {
  const assignment = yield* restartGeneration(shareId)
  yield* printResult({
    json: () => view(assignment),
    text: () => ["Restarted generation: a running server or worker makes the next attempt at once."]
  })
})

/** If a request cannot be restarted, the command continues with the other requests. */
const retryAll = Effect.gen(function* () {
  const stalled = yield* (yield* AssignmentStore).stalled
  const outcomes = yield* Effect.forEach(stalled, (id) => Effect.result(restartGeneration(id)))
  const failures = outcomes.filter(Result.isFailure).map(({ failure }) => failure.message)
  const started = outcomes.length - failures.length
  yield* printResult({
    json: () =>
      outcomes.map((outcome, index) =>
        Result.isSuccess(outcome) ? view(outcome.success) : { share_id: stalled[index], error: outcome.failure.message }
      ),
    text: () =>
      stalled.length === 0
        ? ["Nothing to do: no generation has finally failed."]
        : [`Started ${started} of ${stalled.length} again: a running server or worker makes the next attempts at once.`]
  })
  if (failures.length > 0) {
    return yield* new CommandFailed({
      message: `${failures.length} of ${stalled.length} could not be restarted. The first reason: ${failures[0]}`
    })
  }
})

const restartGeneration = (id: ShareId) =>
  Effect.flatMap(CreatorAdministration, (creators) =>
    creators.retryGeneration(id).pipe(explainActionRefusal(id, "start generation"))
  )

const view = (assignment: Assignment) => ({
  share_id: assignment.id,
  topic_id: assignment.topicId,
  status: assignment.status,
  next_attempt_at: toIsoOrNull(assignment.generation.nextAt)
})

const changeEmail = Command.make(
  "change-email",
  {
    from: Parameter.declareRequiredFlag("from", Parser.emailParser, "EMAIL", "The present address"),
    to: Parameter.declareRequiredFlag("to", Parser.emailParser, "EMAIL", "The new address")
  },
  Effect.fn(
    function* ({ from, to }) {
      const changed = yield* (yield* CreatorAdministration).changeEmail(from, to)
      if (changed.personas + changed.assignments === 0) return yield* failWithUnknownCreator(from)
      yield* printResult({
        json: () => changed,
        text: () => [
          `Changed ${personas(changed.personas)} and ${requests(changed.assignments, "open ")} to ${to}.`,
          "Links in mails to the old address no longer work. Mails with new links are queued."
        ]
      })
    },
    Effect.provide(Administration.layer),
    (changing, { from, to }) =>
      Effect.andThen(
        failWithUsageErrorIf(from.toLowerCase() === to.toLowerCase(), "--from and --to are the same address."),
        changing
      )
  )
).pipe(Command.withDescription("Change a creator's address. Links in mails to the old address stop working"))

const erase = Command.make(
  "erase",
  { email: Parameter.declareRequiredFlag("email", Parser.emailParser, "EMAIL", "The creator's address") },
  Effect.fn(function* ({ email }) {
    const erased = yield* (yield* CreatorAdministration).erase(email)
    if (erased.personas + erased.assignments === 0) return yield* failWithUnknownCreator(email)
    yield* printResult({
      json: () => erased,
      text: () => [
        `Erased the creator from ${personas(erased.personas)} and ${requests(erased.assignments, "")}; approved texts stay.`,
        ...(erased.personas > 0
          ? ["Next: partner-commentary persona update ID --creator-email EMAIL, or revoke the licences."]
          : [])
      ]
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("Erase a creator's personal data. Approved texts stay, and open requests are closed"))

export const creatorCommand = Command.make("creator").pipe(
  Command.withDescription("Creators: change an address, erase personal data"),
  Command.withSubcommands([changeEmail, erase])
)

const personas = (count: number) => `${count} persona${count === 1 ? "" : "s"}`
const requests = (count: number, which: string) => `${count} ${which}request${count === 1 ? "" : "s"}`

const failWithUnknownCreator = (email: string) =>
  Effect.fail(new CommandFailed({ message: `No persona and no request has the creator address ${email}.` }))

/** Returns a sentence that explains why a request was not changed. */
export const explainActionRefusal =
  (id: ShareId, action: string) =>
  <A, R>(effect: Effect.Effect<A, { readonly _tag: "AssignmentNotFound" } | ActionRefused, R>) =>
    Effect.mapError(
      effect,
      (error) =>
        new CommandFailed({
          message:
            error._tag === "AssignmentNotFound"
              ? `There is no request ${id}.`
              : error.reason === "settled"
                ? `The request ${id} is settled (${error.status}): you cannot ${action}.`
                : error.reason === "too_late"
                  ? `It is too late to ${action} for the request ${id}: its deadline has passed.`
                  : `The request ${id} is in ${error.status} and has not failed: you cannot ${action} now.`
        })
    )
