/** A `fetch` whose every exchange Prism has judged, and a record of which operation was seen to answer what. */
import type { Operation } from "../../test/support/authorization/Operations.ts"
import { violations } from "./Prism.ts"

export interface Judged {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** `createTopic 201`, … */
  readonly seen: ReadonlySet<string>
  /** Sentences; none when all was right. */
  readonly found: ReadonlyArray<string>
}

const parameters = ({ path }: Operation) => path.split("{").length

/** The one with the most literal path of those that match. */
const operationOf = (all: ReadonlyArray<Operation>, method: string, path: string): Operation | undefined =>
  all
    .filter((operation) => operation.method === method)
    .filter((operation) => new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path))
    .toSorted((one, other) => parameters(one) - parameters(other))[0]

export const judged = (all: ReadonlyArray<Operation>): Judged => {
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
      const wrong = violations(response.headers, text)
      if (wrong !== undefined) found.push(`${id} ${pathname} ${init.body ?? ""}: ${wrong}`)
      seen.add(`${id} ${response.status}`)
      return response
    }
  }
}
