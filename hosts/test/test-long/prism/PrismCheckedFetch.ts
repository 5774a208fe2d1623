/**
 * A `fetch` function for requests through Prism, which records operations, statuses and the violations that Prism
 * reports.
 */
import type { Operation } from "../../test/support/authorization/Operations.ts"
import { findPrismViolations } from "./Prism.ts"

export interface PrismCheckedFetch {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** An observed operation with its status, such as `createTopic 201`. */
  readonly seen: ReadonlySet<string>
  /** The violations, with one sentence for each violation. The list is empty if there are no violations. */
  readonly found: ReadonlyArray<string>
}

const parameters = ({ path }: Operation) => path.split("{").length

/** If several operations match, returns the operation whose path has the fewest parameters. */
const operationOf = (all: ReadonlyArray<Operation>, method: string, path: string): Operation | undefined =>
  all
    .filter((operation) => operation.method === method)
    .filter((operation) => new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
    .toSorted((one, other) => parameters(one) - parameters(other))[0]

export const makePrismCheckedFetch = (all: ReadonlyArray<Operation>): PrismCheckedFetch => {
  const seen = new Set<string>()
  const found: Array<string> = []
  return {
    seen,
    found,
    fetch: async (url, init = {}) => {
      const response = await fetch(url, init)
      const text = await response.clone().text()
      const { pathname } = new URL(url)
      const { id = "no operation" } = operationOf(all, init.method ?? "GET", pathname) ?? {}
      if (id === "no operation") found.push(`${pathname} is not described`)
      const wrong = findPrismViolations(response.headers, text)
      if (wrong !== undefined) found.push(`${id} ${pathname} ${init.body ?? ""}: ${wrong}`)
      seen.add(`${id} ${response.status}`)
      return response
    }
  }
}
