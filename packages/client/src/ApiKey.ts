/** API keys as they go over the wire. */
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

/** A key to be made. */
export interface CreateApiKey {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** IPv4 and IPv6 addresses or CIDR ranges. Left out: any address. */
  readonly ip_whitelist?: ReadonlyArray<string>
  /** `live` where it is left out. */
  readonly environment?: Environment
  /** Left out: never. */
  readonly expires_at?: Timestamp
}

/** A key as it is listed: without its text, which nobody keeps. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  readonly key_prefix: string
  readonly scopes: ReadonlyArray<Open<Scope>>
  readonly environment: Open<Environment>
  readonly ip_whitelist: ReadonlyArray<string>
  readonly created_at: Timestamp
  /** From when on it is refused; null: it does not expire. */
  readonly expires_at: Timestamp | null
  /** Give or take some seconds; null before its first use. */
  readonly last_used_at: Timestamp | null
  /** From when on it is refused: it lies ahead while a rotated key still works. Null: neither rotated nor revoked. */
  readonly revoked_at: Timestamp | null
}

/** A key that was just made. `full_key` is shown this once. */
export interface CreatedApiKey extends Omit<ApiKey, "last_used_at" | "revoked_at"> {
  readonly full_key: string
}

/** The successor of a rotated key. `full_key` is shown this once. */
export interface RotatedApiKey extends CreatedApiKey {
  /** The old key, and from when on it is refused. */
  readonly replaces: { readonly id: string; readonly revoked_at: Timestamp }
}

/** What is left out stays. Scopes, environment and expiry cannot be changed. */
export interface UpdateApiKey {
  readonly name?: string
  /** IPv4 and IPv6 addresses or CIDR ranges. Empty: any address. */
  readonly ip_whitelist?: ReadonlyArray<string>
}

export interface RotateApiKey {
  /** How long the old key goes on working: 0 to 604,800 seconds, 86,400 where it is left out. After a leak: 0. */
  readonly grace_period_seconds?: number
}

export interface RevokedApiKey {
  readonly id: string
  readonly revoked_at: Timestamp
}

/** A limit on requests, and what is left of it. */
export interface RateWindow {
  readonly name: string
  readonly limit: number
  readonly remaining: number
  readonly window_seconds: number
  readonly resets_in_seconds: number
}

/** The key of a request: whose it is, what it may do, when it ends. */
export interface Me extends Pick<ApiKey, "environment" | "scopes" | "ip_whitelist" | "expires_at" | "revoked_at"> {
  readonly organization: { readonly id: string; readonly name: string }
  readonly key: Pick<ApiKey, "id" | "name" | "key_prefix">
  /** Those that count every request of the key. */
  readonly windows: ReadonlyArray<RateWindow>
}
