/** Wire types of API keys. */
import type { Open, Timestamp } from "./Wire.ts"

/** A key without any webhook scope manages webhooks by `topics:read` and `topics:submit`. */
export type Scope =
  | "personas:read"
  | "topics:submit"
  | "topics:read"
  | "usage:read"
  | "webhooks:read"
  | "webhooks:write"

export type Environment = "live" | "test"

/** Settings of a new key. */
export interface CreateApiKey {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** IPv4 and IPv6 addresses or CIDR ranges. By default any address is allowed. */
  readonly ip_whitelist?: ReadonlyArray<string>
  /** Default: `live`. */
  readonly environment?: Environment
  /** Default: never. */
  readonly expires_at?: Timestamp
}

/** A key in a list. The key's text is not stored anywhere. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly key_prefix: string
  readonly scopes: ReadonlyArray<Open<Scope>>
  readonly environment: Open<Environment>
  readonly ip_whitelist: ReadonlyArray<string>
  readonly created_at: Timestamp
  /** The time from which the key is rejected; null if the key does not expire. */
  readonly expires_at: Timestamp | null
  /** The time of the last use, up to some seconds late; null before the first use. */
  readonly last_used_at: Timestamp | null
  /**
   * The time from which the key is rejected; null if it was neither rotated nor revoked. For a rotated key in its grace
   * period, it is in the future.
   */
  readonly revoked_at: Timestamp | null
}

/** A new key. Only this response contains `full_key`. */
export interface CreatedApiKey extends Omit<ApiKey, "last_used_at" | "revoked_at"> {
  readonly full_key: string
}

/** The successor of a rotated key. Only this response contains `full_key`. */
export interface RotatedApiKey extends CreatedApiKey {
  /** The old key, and the time from which it is rejected. */
  readonly replaces: { readonly id: string; readonly revoked_at: Timestamp }
}

/** Omitted fields stay the same. Scopes, environment and expiry cannot be changed. */
export interface UpdateApiKey {
  readonly name?: string
  /** IPv4 and IPv6 addresses or CIDR ranges. An empty list allows any address. */
  readonly ip_whitelist?: ReadonlyArray<string>
}

export interface RotateApiKey {
  /** How long the old key keeps working: 0 to 604,800 seconds. Default: 86,400. After a leak use 0. */
  readonly grace_period_seconds?: number
}

export interface RevokedApiKey {
  readonly id: string
  readonly revoked_at: Timestamp
}

/** A limit on requests, and the number of requests that remain. */
export interface RateWindow {
  readonly name: string
  readonly limit: number
  readonly remaining: number
  readonly window_seconds: number
  readonly resets_in_seconds: number
}

/** The key of a request: its organization, its scopes and its expiry. */
export interface Me extends Pick<ApiKey, "environment" | "scopes" | "ip_whitelist" | "expires_at" | "revoked_at"> {
  readonly organization: { readonly id: string; readonly name: string }
  readonly key: Pick<ApiKey, "id" | "name" | "key_prefix">
  /** The rate windows that count every request of the key. */
  readonly windows: ReadonlyArray<RateWindow>
}
