/** Why a command did not do what it was asked: one clear sentence for a person, and exit code 1. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String
}) {}

/** The command was asked for something that makes no sense: exit code 2. */
export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", {
  message: Schema.String
}) {}

/** What is wrong by itself is said before a database is asked for. */
export const refuseIf = (isWrong: boolean, message: string): Effect.Effect<void, WrongUsage> =>
  isWrong ? Effect.fail(new WrongUsage({ message })) : Effect.void
