/** Compares the path at which requests arrive with the path of the option `url`, and warns once when they disagree. */
import { collidesWithRoutes } from "@partner-commentary/core/shared/PublicAddress"
import { pathOfService } from "@partner-commentary/server/http/Address"
import * as Predicate from "effect/Predicate"

export interface Mount {
  /** The path that Express has removed from a request: its `baseUrl`. */
  readonly removed: (baseUrl: unknown) => void
  /** The target of a request as it was sent, and the status of its response. */
  readonly answered: (target: string, status: number) => void
}

/**
 * The maximum depth of a mount path in the search. The search is limited, because anonymous callers choose the length
 * of a path.
 */
const maxSegments = 10

/** Returns paths at which a router may have mounted the service: the prefixes of the path, the shortest first. */
const beginnings = (path: string): ReadonlyArray<string> => {
  const segments = path.split("/", maxSegments)
  return segments.slice(1).map((_, at) => segments.slice(0, at + 1).join("/"))
}

const shown = (path: string) => (path === "" ? "/" : path)

export const make = (apiRoot: string, warn: (message: string) => void): Mount => {
  const expected = pathOfService(apiRoot)
  const origin = apiRoot.slice(0, apiRoot.length - expected.length)
  let isDone = false
  const found = (path: string) => {
    isDone = true
    if (path === expected) return
    warn(
      `Requests arrive below ${shown(path)}, but the path of the option url is ${shown(expected)}: ` +
        "links in mails lead nowhere, unless a proxy rewrites paths. " +
        `Mount the service at ${shown(expected)}, or set url to ${origin}${path}.`
    )
  }
  return {
    removed: (baseUrl) => {
      if (!isDone && Predicate.isString(baseUrl) && baseUrl !== "") found(baseUrl)
    },
    answered: (target, status) => {
      // After the first successful response the mount path is known to be correct, so other paths are mistakes of
      // callers.
      if (!isDone && status === 404) {
        const path = target.replace(/[?#].*$/s, "")
        const mounted = beginnings(path).find((each) => collidesWithRoutes(`http://host${path.slice(each.length)}`))
        if (mounted !== undefined && mounted !== "" && mounted !== expected) found(mounted)
      } else isDone = true
    }
  }
}
