/** What was used of the quotas, and how the personas perform. */
import { query } from "./Address.ts"
import type { Connection } from "./Connection.ts"
import type { RequestOptions } from "./Options.ts"
import type { Performance, PerformancePeriod } from "./Performance.ts"
import type { Usage } from "./Usage.ts"

export class UsageReport {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Usage, quotas and what remains of them in the current month. Scope `usage:read`. */
  async get(options?: RequestOptions): Promise<Usage> {
    return this.#connection.data({ method: "GET", path: "/usage", options })
  }
}

export class Metrics {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Outcomes and times over a period, overall and by persona. Scope `usage:read`. */
  async performance(period: PerformancePeriod = {}, options?: RequestOptions): Promise<Performance> {
    return this.#connection.data({ method: "GET", path: `/metrics/performance${query({ ...period })}`, options })
  }
}
