/** API keys, by the dashboard's token. */
import { path } from "./Address.ts"
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

export class ApiKeys {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Makes a key. `full_key` is in this answer alone: keep it. */
  async create(key: CreateApiKey, options?: PostOptions): Promise<CreatedApiKey> {
    return this.#connection.data({ method: "POST", path: "/api-keys", body: key, options })
  }

  /** Those of both environments, newest first; keys that ended long ago are left out. */
  async list(options?: RequestOptions): Promise<ReadonlyArray<ApiKey>> {
    return this.#connection.data({ method: "GET", path: "/api-keys", options })
  }

  /** Fails with `not_found`. */
  async get(id: string, options?: RequestOptions): Promise<ApiKey> {
    return this.#connection.data({ method: "GET", path: path`/api-keys/${id}`, options })
  }

  /** Changes the name or the address list, within 5 seconds everywhere. */
  async update(id: string, changes: UpdateApiKey, options?: RequestOptions): Promise<ApiKey> {
    return this.#connection.data({ method: "PATCH", path: path`/api-keys/${id}`, body: changes, options })
  }

  /** Makes a successor with the same settings; the old key ends after its grace. `full_key` is in this answer alone. */
  async rotate(id: string, rotation: RotateApiKey = {}, options?: PostOptions): Promise<RotatedApiKey> {
    return this.#connection.data({ method: "POST", path: path`/api-keys/${id}/rotate`, body: rotation, options })
  }

  /** Ends a key for good, within 5 seconds everywhere. Safe to repeat. */
  async revoke(id: string, options?: RequestOptions): Promise<RevokedApiKey> {
    return this.#connection.data({ method: "DELETE", path: path`/api-keys/${id}`, options })
  }
}
