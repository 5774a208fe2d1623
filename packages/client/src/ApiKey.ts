/** Wire types of API keys. */
import type { OpenEnum, Timestamp } from "./Wire.ts"

/**
 * A scope of an API key. In a key without any webhook scope, `topics:read` and `topics:submit` also allow access to
 * webhooks.
 */
export type Scope =
  | "personas:read"
  | "topics:submit"
  | "topics:read"
  | "usage:read"
  | "webhooks:read"
  | "webhooks:write"

export type Environment = "live" | "test"

/** The settings of a new API key. */
export interface CreateApiKey {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** The allowed IPv4 and IPv6 addresses or CIDR ranges. By default, any address is allowed. */
  readonly ip_whitelist?: ReadonlyArray<string>
  /** The environment of the key, by default `live`. */
  readonly environment?: Environment
  /** The time from which the key is rejected. By default, the key never expires. */
  readonly expires_at?: Timestamp
}

/** An API key without its secret text, which the service does not store. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly key_prefix: string
  readonly scopes: ReadonlyArray<OpenEnum<Scope>>
  readonly environment: OpenEnum<Environment>
  readonly ip_whitelist: ReadonlyArray<string>
  readonly created_at: Timestamp
  /** The time from which the key is rejected; null if the key does not expire. */
  readonly expires_at: Timestamp | null
  /** The time of the key's last use, up to a few seconds old; null before the first use. */
  readonly last_used_at: Timestamp | null
  /**
   * The time from which the key is rejected; null if the key was neither rotated nor revoked. For a rotated key in its
   * grace period, `revoked_at` is in the future.
   */
  readonly revoked_at: Timestamp | null
}

/** A new API key. Only the response to the creation contains `full_key`. */
export interface CreatedApiKey extends Omit<ApiKey, "last_used_at" | "revoked_at"> {
  readonly full_key: string
}

/** The successor of a rotated API key. Only the response to the rotation contains `full_key`. */
export interface RotatedApiKey extends CreatedApiKey {
  /** The id of the old key, and the time from which the old key is rejected. */
  readonly replaces: { readonly id: string; readonly revoked_at: Timestamp }
}

/**
 * The fields of an API key to change. Omitted fields stay unchanged. Scopes, environment and expiry cannot be changed.
 */
export interface UpdateApiKey {
  readonly name?: string
  /** The allowed IPv4 and IPv6 addresses or CIDR ranges. An empty list allows any address. */
  readonly ip_whitelist?: ReadonlyArray<string>
}

export interface RotateApiKey {
  /**
   * The old key stays valid for this number of seconds, from 0 to 604,800, by default 86,400. If the old key has
   * leaked, set the grace period to 0, so that the old key ends immediately.
   */
  readonly grace_period_seconds?: number
}

export interface RevokedApiKey {
  readonly id: string
  readonly revoked_at: Timestamp
}

/** A rate limit, and the number of remaining requests. */
export interface RateWindow {
  readonly name: string
  readonly limit: number
  readonly remaining: number
  readonly window_seconds: number
  readonly resets_in_seconds: number
}

/** The organization, scopes, expiry and rate limits of the API key that sends the request. */
export interface Me extends Pick<ApiKey, "environment" | "scopes" | "ip_whitelist" | "expires_at" | "revoked_at"> {
  readonly organization: { readonly id: string; readonly name: string }
  readonly key: Pick<ApiKey, "id" | "name" | "key_prefix">
  /** The rate windows that count every request of the key. */
  readonly windows: ReadonlyArray<RateWindow>
}
