/** Reads usage reports and performance reports. */
import { formatQueryString } from "./Address.ts"
import type { Connection } from "./Connection.ts"
import type { RequestOptions } from "./Options.ts"
import type { PerformancePeriod, PerformanceReport } from "./Performance.ts"
import type { Usage } from "./Usage.ts"

export class UsageClient {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Reads the usage, quotas and remaining amounts of the current month. Scope `usage:read`. */
  async get(options?: RequestOptions): Promise<Usage> {
    return this.#connection.data({ method: "GET", path: "/usage", options })
  }
}

export class MetricsClient {
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Reads the results and durations of requests in a period, overall and by persona. Scope `usage:read`. */
  async performance(period: PerformancePeriod = {}, options?: RequestOptions): Promise<PerformanceReport> {
    return this.#connection.data({
      method: "GET",
      path: `/metrics/performance${formatQueryString({ ...period })}`,
      options
    })
  }
}
