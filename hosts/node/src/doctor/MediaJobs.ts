/** Reports failed audio and video, and audio that nothing makes. */

import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { type Finding, mend, ok } from "./Doctor.ts"

const limit = 1000

export const examine = Effect.fnUntraced(function* (settings: Settings) {
  const store = yield* MediaJobStore
  const failed = yield* store.failed(limit)
  const [first] = failed
  const due = yield* store.nextDue(MediaKind.literals)
  const isLeft = Option.isNone(settings.media.speech) && Option.isSome(due) && due.value < (yield* Instant.now)
  if (isLeft) return mend("media", "Audio is to be made, and SPEECH_URL is unset: set it, for serve and worker alike.")
  if (first === undefined) return ok("media", `Audio: ${ConfigSummary.describeAudio(settings)}. None was given up.`)
  const { kind, shareId } = first.job
  const message =
    failed.length === 1
      ? `The ${kind} of ${shareId} was given up (${first.reason}): mend the cause, then run partner-commentary media retry ${shareId}.`
      : `${failed.length === limit ? "at least " : ""}${failed.length} audio or video were given up, the last one because of: ${first.reason}; ` +
        "mend the cause, then run partner-commentary media retry --all."
  return { ...mend("media", message), count: failed.length } satisfies Finding
})
