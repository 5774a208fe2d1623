/**
 * Compares the path at which the application has mounted the service with the path of the option `url`, and logs one
 * warning if the paths differ.
 */
import { collidesWithRoutes } from "@partner-commentary/core/shared/PublicAddress"
import { parseServicePathPrefix } from "@partner-commentary/server/http/Address"
import * as Predicate from "effect/Predicate"

export interface MountPathMonitor {
  /** Receives the path that Express has removed from a request (`baseUrl`). */
  readonly removed: (baseUrl: unknown) => void
  /** Receives the original target of a request and the status of its response. */
  readonly answered: (target: string, status: number) => void
}

/**
 * The maximum number of path segments in the search for a mount path. The search for a mount path is limited, because
 * anonymous callers choose the length of a path.
 */
const maxSegments = 10

/** Returns the prefixes of the path, shortest first. Each prefix is a possible mount path of the service. */
const listPathPrefixes = (path: string): ReadonlyArray<string> => {
  const segments = path.split("/", maxSegments)
  return segments.slice(1).map((_, at) => segments.slice(0, at + 1).join("/"))
}

const formatPath = (path: string) => (path === "" ? "/" : path)

export const makeMountPathMonitor = (apiRoot: string, warn: (message: string) => void): MountPathMonitor => {
  const expected = parseServicePathPrefix(apiRoot)
  const origin = apiRoot.slice(0, apiRoot.length - expected.length)
  let isDone = false
  const found = (path: string) => {
    isDone = true
    if (path === expected) return
    warn(
      `Requests arrive below ${formatPath(path)}, but the path of the option url is ${formatPath(expected)}: ` +
        "links in mails lead nowhere, unless a proxy rewrites paths. " +
        `Mount the service at ${formatPath(expected)}, or set url to ${origin}${path}.`
    )
  }
  return {
    removed: (baseUrl) => {
      if (!isDone && Predicate.isString(baseUrl) && baseUrl !== "") found(baseUrl)
    },
    answered: (target, status) => {
      // The first response other than 404 proves that the mount path is correct, and ends the check. Later 404
      // responses are mistakes of callers.
      if (!isDone && status === 404) {
        const path = target.replace(/[?#].*$/s, "")
        const mounted = listPathPrefixes(path).find((each) =>
          collidesWithRoutes(`http://host${path.slice(each.length)}`)
        )
        if (mounted !== undefined && mounted !== "" && mounted !== expected) found(mounted)
      } else isDone = true
    }
  }
}
