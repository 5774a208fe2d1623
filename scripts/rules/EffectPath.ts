/** `effect` by deep paths alone, for the sake of start-up time, and its global side effect in entry points alone. */
import { posix } from "node:path"
import type { Rule } from "../Gate.ts"
import { imports, isRelative } from "../Imports.ts"
import { shipped, workspaces } from "../Repository.ts"

/** `effect/Effect`, `effect/sql/SqlClient`: the module's name is capitalised, a folder's is not. */
const isModule = (specifier: string) => /^effect\/([a-z-]+\/)?[A-Z]\w*(\/[a-z]\w*)?$/.test(specifier)

export const effectPath: Rule = {
  name: "effect by deep paths",
  find: (files) =>
    workspaces(files).flatMap(({ folder }) =>
      shipped(files, folder).flatMap(([path, text]) =>
        imports(text)
          .filter(({ specifier }) => specifier !== null && /^effect(\/|$)/.test(specifier) && !isModule(specifier))
          .map(({ specifier, line }) => ({ path, line, message: `"${specifier}" is not one module` }))
      )
    ),
  refuses: [
    { "packages/core/src/Planted.ts": 'import { Effect } from "effect"\n' },
    { "packages/core/src/Planted.ts": 'import type {\n  Effect\n} from "effect"\n' },
    { "packages/sql/src/Planted.ts": 'import { SqlClient } from "effect/sql"\n' },
    { "hosts/node/src/Planted.ts": 'export * from "effect/index"\n' },
    { "hosts/node/src/Planted.ts": 'import * as core from "effect/internal/core"\n' }
  ],
  accepts: [
    { "packages/core/src/Planted.ts": 'import * as Effect from "effect/Effect"\n' },
    { "packages/core/src/Planted.ts": 'import * as SqlClient from "effect/sql/SqlClient"\n' },
    { "hosts/node/src/Planted.ts": 'import "effect/schema/SchemaJITCompiler/enable"\n' }
  ]
}

const enable = "effect/schema/SchemaJITCompiler/enable"

export const globalSideEffect: Rule = {
  name: "the schema compiler is switched on by entry points of hosts",
  find: (files) =>
    workspaces(files).flatMap(({ folder }) => {
      const sources = shipped(files, folder)
      /** An entry point is a host's file that no other file of its `src` imports. */
      const inner = new Set(
        sources
          .filter(([path]) => path.startsWith(`${folder}/src/`))
          .flatMap(([path, text]) =>
            imports(text).flatMap(({ specifier }) =>
              specifier !== null && isRelative(specifier) ? [posix.join(posix.dirname(path), specifier)] : []
            )
          )
      )
      return sources
        .filter(([path]) => !folder.startsWith("hosts/") || inner.has(path))
        .flatMap(([path, text]) =>
          imports(text)
            .filter(({ specifier }) => specifier === enable)
            .map(({ line }) => ({ path, line, message: `imports "${enable}"` }))
        )
    }),
  refuses: [
    { "packages/server/src/Planted.ts": `import "${enable}"\n` },
    { "adapters/sqlite/src/Planted.ts": `import "${enable}"\n` },
    {
      "hosts/node/src/Planted.ts": `import "${enable}"\nexport const a = 1\n`,
      "hosts/node/src/planted.ts": 'import { a } from "./Planted.ts"\nexport const b = a\n'
    }
  ],
  accepts: [{ "hosts/node/src/planted.ts": `import "${enable}"\n` }]
}
