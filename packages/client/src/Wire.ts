/** What all shapes of the wire share: JSON, timestamps, and words that a newer service may add to. */

/** Any JSON value. */
export type Json = null | string | number | boolean | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Your own data, kept with a topic and returned as it was sent: at most 16 KiB as JSON, at most 32 levels deep. */
export type Metadata = { readonly [key: string]: Json }

/** ISO 8601, UTC, with milliseconds: `2026-01-30T12:00:00.000Z`. */
export type Timestamp = string

/** One of the known words. Minor versions of the service may add others: keep a branch for them. */
export type Open<Known extends string> = Known | (string & Record<never, never>)
