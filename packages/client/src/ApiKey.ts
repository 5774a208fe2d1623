/** API keys as they go over the wire. */
import type { Open, Timestamp } from "./Wire.ts"

export type Scope = "personas:read" | "topics:submit" | "topics:read" | "usage:read"

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
  readonly expires_at: Timestamp | null
  readonly last_used_at: Timestamp | null
  readonly revoked_at: Timestamp | null
}

/** A key that was just made. `full_key` is shown this once. */
export interface CreatedApiKey extends Pick<ApiKey, "id" | "name" | "key_prefix" | "scopes" | "created_at"> {
  readonly full_key: string
}

export interface RevokedApiKey {
  readonly id: string
  readonly revoked_at: Timestamp
}
