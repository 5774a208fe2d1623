/** Shared wire types: JSON, timestamps, and extensible enumerations. */

/** Any JSON value. */
export type Json = null | string | number | boolean | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Your own data, stored with a topic and returned unchanged: at most 16 KiB as JSON and 32 levels deep. */
export type Metadata = { readonly [key: string]: Json }

/** A timestamp in ISO 8601, UTC, with milliseconds: `2026-01-30T12:00:00.000Z`. */
export type Timestamp = string

/** One of the known values. Minor versions of the service may add others, so handle unknown ones. */
export type Open<Known extends string> = Known | (string & Record<never, never>)
