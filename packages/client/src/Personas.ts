/** Reads the personas for which you have a license. */
import { requestPath } from "./Address.ts"
import type { Connection } from "./Connection.ts"
import type { RequestOptions } from "./Options.ts"
import type { Persona, PersonaSummary } from "./Persona.ts"

export class PersonasClient {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Lists all licensed personas, sorted by name. Scope `personas:read`. */
  async list(options?: RequestOptions): Promise<ReadonlyArray<PersonaSummary>> {
    return this.#connection.data({ method: "GET", path: "/personas", options })
  }

  /**
   * Reads one persona with biography and expertise. If you have no license or the persona does not exist, the call
   * fails with `not_licensed` or `not_found`. Scope `personas:read`.
   */
  async get(id: string, options?: RequestOptions): Promise<Persona> {
    return this.#connection.data({ method: "GET", path: requestPath`/personas/${id}`, options })
  }
}
