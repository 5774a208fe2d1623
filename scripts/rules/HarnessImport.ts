/** The in-memory host is for tests, examples and its own figures; what ships never needs it. */
import type { Rule } from "../Gate.ts"
import { imports, packageOf } from "../Imports.ts"
import { isSource, workspaces } from "../Repository.ts"

const welcome = /^examples\/|(^|\/)test(-long)?\/|^hosts\/test\/|^bench\/harness\.ts$/

export const harnessImport: Rule = {
  name: "hosts/test is for tests and examples",
  find: (files) => {
    const harness = workspaces(files).find(({ folder }) => folder === "hosts/test")?.manifest.name
    return [...files]
      .filter(([path]) => isSource(path) && !welcome.test(path))
      .flatMap(([path, text]) =>
        imports(text)
          .filter(({ specifier }) => specifier !== null && packageOf(specifier) === harness)
          .map(({ line }) => ({ path, line, message: `imports ${harness}` }))
      )
  },
  refuses: [
    { "bench/Planted.ts": 'import { call } from "@partner-commentary/test/Harness"\n' },
    { "hosts/node/bin/planted.js": 'import "@partner-commentary/test/Harness"\n' },
    { "packages/server/src/Planted.ts": 'import "@partner-commentary/test/Harness"\n' }
  ],
  accepts: [
    { "examples/planted.ts": 'import "@partner-commentary/test/Harness"\n' },
    { "packages/api/test/Planted.test.ts": 'import "@partner-commentary/test/Harness"\n' },
    { "bench/harness.ts": 'import "@partner-commentary/test"\n' },
    { "hosts/node/test-long/Planted.test.ts": 'import "@partner-commentary/test/Harness"\n' }
  ]
}
