/** Defines shared wire types for JSON, timestamps and extensible enumerations. */

/** A type for any JSON value. */
export type Json = null | string | number | boolean | ReadonlyArray<Json> | { readonly [key: string]: Json }

/**
 * Your own data, which the service stores with a topic and returns unchanged. The maximum size is 16 KiB of JSON, and
 * the maximum depth is 32 levels.
 */
export type Metadata = { readonly [key: string]: Json }

/** A timestamp in ISO 8601 and UTC with milliseconds, such as `2026-01-30T12:00:00.000Z`. */
export type Timestamp = string

/**
 * A known value, or a text that this version does not know. Minor versions of the service may add values, so handle
 * unknown values.
 */
export type OpenEnum<Known extends string> = Known | (string & Record<never, never>)
