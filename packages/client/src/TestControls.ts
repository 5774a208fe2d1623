/** Controls simulated creators in the test environment. Use a key that begins with `pk_test_`. */
import { buildRequestPath } from "./Address.ts"
import type { Connection } from "./Connection.ts"
import type { PostOptions } from "./Options.ts"
import type { AdvanceAssignment, SimulatedAssignment } from "./TestAssignment.ts"

export class TestEnvironmentClient {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /**
   * Makes a simulated creator take a step immediately. The call fails with `invalid_request` when the creator cannot
   * take the step. Scope `topics:submit`.
   */
  async advance(shareId: string, step: AdvanceAssignment = {}, options?: PostOptions): Promise<SimulatedAssignment> {
    return this.#connection.data({
      method: "POST",
      path: buildRequestPath`/test/assignments/${shareId}/advance`,
      body: step,
      options
    })
  }
}
