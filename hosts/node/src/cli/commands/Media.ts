/** Defines the command `media retry`, which restarts failed audio and video. */
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import { ShareId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Parser from "@partner-commentary/settings/Parser"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Administration from "../Administration.ts"
import { CommandFailed, failWithUsageErrorIf } from "../CommandFailed.ts"
import { printResult } from "../Output.ts"
import * as Parameter from "../Parameter.ts"

const retry = Command.make(
  "retry",
  {
    shareId: Argument.optional(
      Parameter.declarePositionalArgument("share_id", Parser.makeIdParser(ShareId), "The share_id of an assignment")
    ),
    all: Flag.Boolean("all").pipe(Flag.withDescription("All failed audio and video"), Flag.withDefault(false))
  },
  Effect.fn(function* ({ all, shareId }) {
    yield* failWithUsageErrorIf(
      all !== Option.isNone(shareId),
      "Give one share_id, or --all for all failed audio and video."
    )
    const restarted = yield* Effect.provide(begin(shareId), Administration.layer)
    yield* printResult({
      json: () => ({ restarted }),
      text: () =>
        restarted === 0
          ? ["Nothing to do: no audio or video has failed."]
          : [`Restarted ${restarted}: a running server or worker makes the next attempts at once.`]
    })
  })
).pipe(Command.withDescription("Restart failed audio and video"))

const begin = Effect.fnUntraced(function* (shareId: Option.Option<ShareId>) {
  const restarted = yield* (yield* MediaJobStore).restart(Option.getOrNull(shareId), yield* Instant.now)
  if (restarted === 0 && Option.isSome(shareId)) {
    return yield* new CommandFailed({
      message: `No audio or video of ${shareId.value} has failed or waits for another attempt.`
    })
  }
  return restarted
})

export const commentaryMediaCommand = Command.make("media").pipe(
  Command.withDescription("Audio and video of approved texts"),
  Command.withSubcommands([retry])
)
