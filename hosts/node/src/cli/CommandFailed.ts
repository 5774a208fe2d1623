/** This error ends a command with exit code 1. The error's message is one sentence. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

export class CommandFailed extends Schema.TaggedError<CommandFailed>()("CommandFailed", {
  message: Schema.String
}) {}

/** This error ends a command with exit code 2, because the command's arguments are wrong. */
export class UsageError extends Schema.TaggedError<UsageError>()("UsageError", {
  message: Schema.String
}) {}

/** Fails with a usage error if the arguments are wrong, before the command opens the database. */
export const refuseIf = (isWrong: boolean, message: string): Effect.Effect<void, UsageError> =>
  isWrong ? Effect.fail(new UsageError({ message })) : Effect.void
