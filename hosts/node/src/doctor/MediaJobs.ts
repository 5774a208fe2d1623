/** Reports failed audio and video, and requested audio without a configured speech server. */
import { MediaJobStore } from "@partner-commentary/core/commentary/MediaJobStore"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as StoredWork from "partner-commentary/doctor/StoredWork"
import { doctorAdvice } from "./Advice.ts"
import { makeMendFinding } from "./Doctor.ts"

export const diagnoseMediaJobs = Effect.fnUntraced(function* (settings: Settings) {
  const due = yield* (yield* MediaJobStore).nextDue(MediaKind.literals)
  const isLeft = Option.isNone(settings.media.speech) && Option.isSome(due) && due.value < (yield* Instant.now)
  if (isLeft)
    return makeMendFinding("media", "Audio is requested, but SPEECH_URL is unset: set it for both serve and worker.")
  return yield* StoredWork.diagnoseFailedMedia(doctorAdvice, ConfigSummary.describeAudioSettings(settings))
})
