/** The folders of the core form a hierarchy: no two of them import each other, directly or through others. Types count. */
import { posix } from "node:path"
import type { Finding, Rule } from "../Gate.ts"
import { imports, isRelative } from "../Imports.ts"
import { type Files, shipped } from "../Repository.ts"

const source = "packages/core/src"

interface Edge {
  readonly from: string
  readonly to: string
  readonly path: string
  readonly line: number
}

const edgesOf = (files: Files): ReadonlyArray<Edge> =>
  shipped(files, posix.dirname(source)).flatMap(([path, text]) =>
    imports(text).flatMap(({ specifier, line }) => {
      if (specifier === null || !isRelative(specifier)) return []
      const from = posix.relative(source, posix.dirname(path))
      const to = posix.relative(source, posix.dirname(posix.join(posix.dirname(path), specifier)))
      return from === to ? [] : [{ from, to, path, line }]
    })
  )

const reaches = (edges: ReadonlyArray<Edge>, from: string, to: string, seen = new Set<string>()): boolean => {
  if (from === to) return true
  if (seen.has(from)) return false
  seen.add(from)
  return edges.some((edge) => edge.from === from && reaches(edges, edge.to, to, seen))
}

const find = (files: Files): ReadonlyArray<Finding> => {
  const edges = edgesOf(files)
  return edges
    .filter(({ from, to }) => reaches(edges, to, from))
    .map(({ from, line, path, to }) => ({ path, line, message: `${from}/ imports ${to}/, which imports ${from}/` }))
}

export const folderCycle: Rule = {
  name: "the core's folders form a hierarchy",
  find,
  refuses: [
    {
      "packages/core/src/one/One.ts": 'import { two } from "../two/Two.ts"\nexport const one = two\n',
      "packages/core/src/two/Two.ts": 'import type { three } from "../three/Three.ts"\nexport const two: three = 2\n',
      "packages/core/src/three/Three.ts": 'import type { one } from "../one/Other.ts"\nexport type three = one\n'
    }
  ],
  accepts: [
    {
      "packages/core/src/one/One.ts": 'import { two } from "../two/Two.ts"\nexport const one = two\n',
      "packages/core/src/two/Two.ts": 'import { three } from "../three/Three.ts"\nexport const two = three\n',
      "packages/core/src/three/Three.ts": "export const three = 3\n"
    }
  ]
}
