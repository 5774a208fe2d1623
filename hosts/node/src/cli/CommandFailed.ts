/** The error of a failed command. The error's message is one sentence, and the command exits with code 1. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String
}) {}

/** The error of a command with wrong arguments. The command exits with code 2. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", {
  message: Schema.String
}) {}

/** Fails with a usage error if the arguments are wrong, before the command opens the database. */
export const failWithUsageErrorIf = (isWrong: boolean, message: string): Effect.Effect<void, UsageError> =>
  isWrong ? Effect.fail(new UsageError({ message })) : Effect.void
