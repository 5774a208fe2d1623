/** Reads the personas for which you have a license. */
import { buildRequestPath } from "./Address.ts"
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
   * Reads one persona with biography and expertise. The call fails with `not_licensed` if you have no license, and with
   * `not_found` if the persona does not exist. Scope `personas:read`.
   */
  async get(id: string, options?: RequestOptions): Promise<Persona> {
    return this.#connection.data({ method: "GET", path: buildRequestPath`/personas/${id}`, options })
  }
}
