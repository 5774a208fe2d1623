/** One audio or video file to make from an approved text, and when to retry it. Pure. */
import type { ShareId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Policy } from "../shared/Policy.ts"
import { toBase62 } from "../shared/Secret.ts"
import type { MediaRequest } from "../topic/MediaRequest.ts"

export interface MediaJob extends MediaRequest {
  readonly shareId: ShareId
  /** Includes the current attempt. */
  readonly attempts: number
  /** Identifies this claim. An outcome is stored only under the ticket of the latest claim. */
  readonly ticket: number
}

/**
 * The result of an attempt. `waiting`: a retry follows. `released`: a stopping worker interrupted it, so it does not
 * count.
 */
export type MediaJobOutcome =
  | { readonly state: "ready"; readonly url: string }
  | { readonly state: "waiting"; readonly until: Instant.Instant; readonly reason: string }
  | { readonly state: "released" }
  | { readonly state: "failed"; readonly reason: string }

const nameLength = 32

/** More than the name needs, because base62 skips some values. */
export const nameEntropy = 64

/** A random file name with 190 bits of entropy. */
export const nameOf = (random: Uint8Array): string => toBase62(random, nameLength)

/** Decides whether a media job is retried after a failed attempt. */
export const afterFailure = (
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

/** The process died during every attempt, so no outcome was reported. */
export const isExhausted = ({ attempts }: MediaJob, { mediaRetries }: Policy): boolean =>
  attempts > mediaRetries.length + 1
