/** The test environment's own controls: for keys that begin with `pk_test_`. */
import { path } from "./Address.ts"
import type { Connection } from "./Connection.ts"
import type { PostOptions } from "./Options.ts"
import type { AdvancedAssignment } from "./Topic.ts"

export class TestControls {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Lets the simulated creator of the persona that waits take the next step. */
  async advance(shareId: string, options?: PostOptions): Promise<AdvancedAssignment> {
    return this.#connection.data({ method: "POST", path: path`/test/assignments/${shareId}/advance`, options })
  }
}
