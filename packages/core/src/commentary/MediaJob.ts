/** Defines a media job, which makes one audio or video file from an approved text. All functions are pure. */
import type { ShareId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Policy } from "../shared/Policy.ts"
import { toBase62 } from "../shared/Secret.ts"
import type { Assignment } from "../topic/Assignment.ts"
import type { MediaRequest } from "../topic/MediaRequest.ts"
import { type AssignmentChange, makeChange } from "../topic/Workflow.ts"

export interface MediaJob extends MediaRequest {
  readonly shareId: ShareId
  /** The number of attempts, including the current attempt. */
  readonly attempts: number
  /** The ticket identifies the job's latest claim. The store ignores an outcome whose ticket is not the latest. */
  readonly ticket: number
}

/**
 * The outcome of an attempt that made no file. `waiting`: the job will be retried. `released`: a stopping worker
 * interrupted the attempt, so the attempt does not count.
 */
export type MediaJobOutcome =
  | { readonly state: "waiting"; readonly until: Instant.Instant; readonly reason: string }
  | { readonly state: "released" }
  | { readonly state: "failed"; readonly reason: string }

const nameLength = 32

/**
 * The number of random bytes for a file name. Base62 encoding skips some byte values, so a file name needs more random
 * bytes than characters.
 */
export const mediaFileNameRandomBytes = 64

/** Returns a random file name without extension. The file name has 190 bits of entropy. */
export const generateMediaFileName = (random: Uint8Array): string => toBase62(random, nameLength)

/** Records the URL of a finished file. The URL is stored even if a later attempt has claimed the job. */
export const recordFinishedMediaFile = (
  present: Assignment,
  { kind }: Pick<MediaJob, "kind">,
  url: string
): AssignmentChange => {
  const { commentary } = present
  const column = kind === "audio" ? "audioUrl" : "videoUrl"
  if (commentary === null || commentary[column] === url) {
    return { assignment: present, notices: [], readyMedium: kind }
  }
  return makeChange({ ...present, commentary: { ...commentary, [column]: url } }, { readyMedium: kind })
}

/** Returns the outcome of a failed attempt: a retry at a later time, or a final failure. */
export const decideMediaOutcomeAfterFailure = (
  { attempts }: MediaJob,
  failure: { readonly permanent: boolean; readonly reason: string },
  now: Instant.Instant,
  { mediaRetries }: Policy
): MediaJobOutcome => {
  const delay = mediaRetries[attempts - 1]
  return failure.permanent || delay === undefined
    ? { state: "failed", reason: failure.reason }
    : { state: "waiting", until: Instant.plus(now, delay), reason: failure.reason }
}

/** Returns true if the job was claimed again after its last attempt, because the process died during that attempt. */
export const areMediaAttemptsExhausted = ({ attempts }: MediaJob, { mediaRetries }: Policy): boolean =>
  attempts > mediaRetries.length + 1
