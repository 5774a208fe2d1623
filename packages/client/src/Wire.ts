/** Shared wire types: JSON, timestamps, and extensible enumerations. */

/** Any JSON value. */
export type Json = null | string | number | boolean | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Your own data, stored with a topic and returned unchanged: at most 16 KiB as JSON and 32 levels deep. */
export type Metadata = { readonly [key: string]: Json }

/** ISO 8601, UTC, with milliseconds: `2026-01-30T12:00:00.000Z`. */
export type Timestamp = string

/** A known value. Minor versions of the service may add others, so handle unknown ones. */
export type Open<Known extends string> = Known | (string & Record<never, never>)
