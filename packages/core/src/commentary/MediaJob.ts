/** One audio or video to make of one approved text, and when to retry it. Pure. */
import type { ShareId } from "../shared/Ids.ts"
import * as Instant from "../shared/Instant.ts"
import type { Policy } from "../shared/Policy.ts"
import { toBase62 } from "../shared/Secret.ts"
import type { MediaRequest } from "../topic/MediaRequest.ts"

export interface MediaJob extends MediaRequest {
  readonly shareId: ShareId
  /** The one that it was taken for included. */
  readonly attempts: number
  /** Of this taking, and never of another: what it came to is told under it. */
  readonly ticket: number
}

/** What became of an attempt. `waiting`: another one follows. `released`: it was broken off by our own stop, and was none. */
export type MediaJobOutcome =
  | { readonly state: "ready"; readonly url: string }
  | { readonly state: "waiting"; readonly until: Instant.Instant; readonly reason: string }
  | { readonly state: "released" }
  | { readonly state: "failed"; readonly reason: string }

const nameLength = 32

/** Enough for a name and for what base62 skips. */
export const randomnessOfName = 64

/** 190 bits of what was random. */
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

/** Every attempt ended without a word: its process died, each time. */
export const isWornOut = ({ attempts }: MediaJob, { mediaRetries }: Policy): boolean =>
  attempts > mediaRetries.length + 1
