/**
 * One audio or video file that the service makes from an approved text, and the schedule of its retries. The functions
 * are pure.
 */
import type { ShareId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Policy } from "../shared/Policy.ts"
import { toBase62 } from "../shared/Secret.ts"
import type { Assignment } from "../topic/Assignment.ts"
import type { MediaRequest } from "../topic/MediaRequest.ts"
import { type Change, change } from "../topic/Workflow.ts"

export interface MediaJob extends MediaRequest {
  readonly shareId: ShareId
  /** The number of attempts, including the current attempt. */
  readonly attempts: number
  /** The ticket number of this claim. The store accepts an outcome only with the latest ticket. */
  readonly ticket: number
}

/**
 * The result of an attempt without a file. `waiting`: the job will be retried. `released`: a stopping worker
 * interrupted the attempt, which does not count.
 */
export type MediaJobOutcome =
  | { readonly state: "waiting"; readonly until: Instant.Instant; readonly reason: string }
  | { readonly state: "released" }
  | { readonly state: "failed"; readonly reason: string }

const nameLength = 32

/**
 * The number of random bytes for a name. More bytes than characters are needed, because base62 skips some byte values.
 */
export const mediaNameEntropyBytes = 64

/** Returns a random file name with 190 bits of entropy. */
export const mediaFileNameOf = (random: Uint8Array): string => toBase62(random, nameLength)

/** Records the URL of a file. A success counts even if a later attempt has already claimed the job. */
export const recordReadyMedium = (present: Assignment, { kind }: Pick<MediaJob, "kind">, url: string): Change => {
  const { commentary } = present
  const column = kind === "audio" ? "audioUrl" : "videoUrl"
  if (commentary === null || commentary[column] === url) {
    return { assignment: present, notices: [], readyMedium: kind }
  }
  return change({ ...present, commentary: { ...commentary, [column]: url } }, { readyMedium: kind })
}

/** Returns when to retry a failed media job, or that the job has failed permanently. */
export const outcomeAfterFailure = (
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

/** Returns true if all attempts ended without an outcome, because the process died during each attempt. */
export const areAttemptsExhausted = ({ attempts }: MediaJob, { mediaRetries }: Policy): boolean =>
  attempts > mediaRetries.length + 1
