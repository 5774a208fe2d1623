/**
 * Finds the route of a method and a path, if the path has no query and no percent-escapes. Effect's router finds the
 * same route and also handles all other paths, but takes several times as long.
 */
import type * as HttpRouter from "effect/http/HttpRouter"

export interface FoundRoute {
  readonly route: HttpRouter.Route<never, never>
  readonly params: Readonly<Record<string, string>>
}

export type RouteIndex = (method: string, path: string) => FoundRoute | undefined

/** The routes below a path segment. */
interface Node {
  readonly literals: Map<string, Node>
  parameter: Node | undefined
  /** The routes that end at this node, by method, with the names of the path parameters. */
  readonly routes: Map<
    string,
    { readonly route: HttpRouter.Route<never, never>; readonly names: ReadonlyArray<string> }
  >
}

const makeNode = (): Node => ({ literals: new Map(), parameter: undefined, routes: new Map() })

/** The router decodes an escape. The query begins with `?`, and for Effect's router also with `;` or `#`. */
const special = /[%?;#]/

/** A longer parameter is left to the router, which has a limit. */
const longestParameter = 256

/** The paths of the routes consist of literal segments and of parameters such as `:id`. */
export const make = (routes: ReadonlyArray<HttpRouter.Route<never, never>>): RouteIndex => {
  const root = makeNode()
  for (const route of routes) {
    const names: Array<string> = []
    let node = root
    for (const segment of route.path.slice(1).split("/")) {
      if (segment.startsWith(":")) {
        names.push(segment.slice(1))
        node.parameter ??= makeNode()
        node = node.parameter
      } else {
        const next = node.literals.get(segment) ?? makeNode()
        node.literals.set(segment, next)
        node = next
      }
    }
    node.routes.set(route.method, { route, names })
  }

  return (method, path) => {
    if (special.test(path)) return undefined
    const values: Array<string> = []
    let node = root
    for (let start = 1; start <= path.length; ) {
      const slash = path.indexOf("/", start)
      const end = slash < 0 ? path.length : slash
      const segment = path.slice(start, end)
      let next = node.literals.get(segment)
      if (next === undefined) {
        next = node.parameter
        if (next === undefined || segment === "" || segment.length > longestParameter) return undefined
        values.push(segment)
      }
      node = next
      start = end + 1
    }
    const found = node.routes.get(method)
    if (found === undefined) return undefined
    const params: Record<string, string> = {}
    found.names.forEach((name, index) => {
      params[name] = values[index] as string
    })
    return { route: found.route, params }
  }
}
