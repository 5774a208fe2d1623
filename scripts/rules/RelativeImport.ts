/** A relative import stays in its package, and the files of a package do not import each other in circles. */
import { posix } from "node:path"
import type { Finding, Rule } from "../Gate.ts"
import { imports, isRelative } from "../Imports.ts"
import { type Files, shipped, workspaces } from "../Repository.ts"

const target = (path: string, specifier: string) =>
  specifier.startsWith("/") ? specifier : posix.join(posix.dirname(path), specifier)

export const relativeImport: Rule = {
  name: "relative imports stay in their package",
  find: (files) =>
    workspaces(files).flatMap(({ folder }) =>
      shipped(files, folder).flatMap(([path, text]) =>
        imports(text).flatMap(({ specifier, line }) =>
          specifier === null || !isRelative(specifier) || target(path, specifier).startsWith(`${folder}/`)
            ? []
            : [{ path, line, message: `"${specifier}" leaves ${folder}` }]
        )
      )
    ),
  refuses: [
    { "packages/api/src/Planted.ts": 'import { Core } from "../../core/src/Core.ts"\n' },
    { "packages/api/src/planted/Planted.ts": 'export type { Core } from "../../../core/src/Core.ts"\n' },
    { "adapters/smtp/src/Planted.ts": 'export const load = () => import("../../../scripts/Gate.ts")\n' },
    { "hosts/node/src/Planted.ts": 'import "/packages/core/src/Core.ts"\n' }
  ],
  accepts: [
    { "packages/api/src/planted/Planted.ts": 'import { Api } from "../Api.ts"\n' },
    { "hosts/node/src/Planted.ts": 'import manifest from "../package.json" with { type: "json" }\n' }
  ]
}

/** One finding for each circle, at the import that closes it. */
const circles = (files: Files, folder: string): ReadonlyArray<Finding> => {
  const sources = new Map(shipped(files, folder))
  const done = new Set<string>()
  const findings: Array<Finding> = []
  const visit = (path: string, trail: ReadonlyArray<string>) => {
    for (const { specifier, line, typeOnly } of imports(sources.get(path) ?? "")) {
      if (specifier === null || typeOnly || !isRelative(specifier)) continue
      const next = target(path, specifier)
      const start = [...trail, path].indexOf(next)
      if (start !== -1) {
        const circle = [...trail, path].slice(start).map((step) => posix.basename(step))
        findings.push({ path, line, message: `closes the circle ${[...circle, circle[0]].join(" → ")}` })
      } else if (sources.has(next) && !done.has(next)) visit(next, [...trail, path])
    }
    done.add(path)
  }
  for (const path of sources.keys()) if (!done.has(path)) visit(path, [])
  return findings
}

export const importCycle: Rule = {
  name: "no import cycles",
  find: (files) => workspaces(files).flatMap(({ folder }) => circles(files, folder)),
  refuses: [
    {
      "packages/core/src/planted/One.ts": 'import { two } from "./Two.ts"\nexport const one = () => two\n',
      "packages/core/src/planted/Two.ts": 'export * from "./Three.ts"\nexport const two = 2\n',
      "packages/core/src/planted/Three.ts":
        'import { type One, one } from "../planted/One.ts"\nexport const three = one\n'
    },
    { "packages/core/src/planted/One.ts": 'import * as Self from "./One.ts"\nexport const one = () => Self\n' }
  ],
  accepts: [
    {
      "packages/core/src/planted/One.ts": 'import { two } from "./Two.ts"\nexport const one = two\n',
      "packages/core/src/planted/Two.ts": 'import type { one } from "./One.ts"\nexport const two: typeof one = 2\n'
    },
    {
      "packages/core/src/planted/One.ts": 'import { two } from "./Two.ts"\nimport { three } from "./Three.ts"\n',
      "packages/core/src/planted/Two.ts": 'import { three } from "./Three.ts"\nexport const two = three\n',
      "packages/core/src/planted/Three.ts": "export const three = 3\n"
    }
  ]
}
