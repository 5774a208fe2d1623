/** Manages API keys with the dashboard's token. */
import { buildRequestPath } from "./Address.ts"
import type {
  ApiKey,
  CreateApiKey,
  CreatedApiKey,
  RevokedApiKey,
  RotateApiKey,
  RotatedApiKey,
  UpdateApiKey
} from "./ApiKey.ts"
import type { Connection } from "./Connection.ts"
import type { PostOptions, RequestOptions } from "./Options.ts"

export class ApiKeysClient {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Creates an API key. Store `full_key`, because no other response contains the full key. */
  async create(key: CreateApiKey, options?: PostOptions): Promise<CreatedApiKey> {
    return this.#connection.data({ method: "POST", path: "/api-keys", body: key, options })
  }

  /**
   * Lists the API keys of the environments `live` and `test`, newest first. Keys that ended more than 90 days ago are
   * omitted.
   */
  async list(options?: RequestOptions): Promise<ReadonlyArray<ApiKey>> {
    return this.#connection.data({ method: "GET", path: "/api-keys", options })
  }

  /** Reads one API key. If the key does not exist, the call fails with `not_found`. */
  async get(id: string, options?: RequestOptions): Promise<ApiKey> {
    return this.#connection.data({ method: "GET", path: buildRequestPath`/api-keys/${id}`, options })
  }

  /** Changes the name or the address list of a key. Every server applies the change within 5 seconds. */
  async update(id: string, changes: UpdateApiKey, options?: RequestOptions): Promise<ApiKey> {
    return this.#connection.data({ method: "PATCH", path: buildRequestPath`/api-keys/${id}`, body: changes, options })
  }

  /**
   * Creates a new key with the same settings as the old key. The old key ends after the grace period. Only the response
   * to `rotate` contains the new key's `full_key`.
   */
  async rotate(id: string, rotation: RotateApiKey = {}, options?: PostOptions): Promise<RotatedApiKey> {
    return this.#connection.data({
      method: "POST",
      path: buildRequestPath`/api-keys/${id}/rotate`,
      body: rotation,
      options
    })
  }

  /** Revokes a key. Every server rejects the key within 5 seconds. A repeated revocation has no further effect. */
  async revoke(id: string, options?: RequestOptions): Promise<RevokedApiKey> {
    return this.#connection.data({ method: "DELETE", path: buildRequestPath`/api-keys/${id}`, options })
  }
}
