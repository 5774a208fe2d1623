/** The repository speaks of the product alone: of no machine that it stood on and of no place that its packages came from. */
import type { Rule } from "../Gate.ts"
import { lineAt } from "../SourceText.ts"

/** Put together here, so that this file may hold them. */
const homes = ["work", "root", "home", "Users"]
const machine = new RegExp(String.raw`(?<![\w.~)}\]-])/(?:${homes.join("|")})/`, "g")

export const machinePath: Rule = {
  name: "no machine paths",
  find: (files) =>
    [...files].flatMap(([path, text]) =>
      [...text.matchAll(machine)].map((found) => ({
        path,
        line: lineAt(text, found.index),
        message: `"${found[0]}" is a place on somebody's machine`
      }))
    ),
  refuses: homes.flatMap((home) => [
    { "docs/planted.md": `see /${home}/planted\n` },
    { "packages/core/src/Planted.ts": `import "/${home}/planted/Core.ts"\n` },
    { "hosts/node/planted.json": `{ "data": "file:///${home}/planted" }\n` }
  ]),
  accepts: [
    {
      "docs/planted.md": `see packages/core/${homes[0]}/planted, https://example.com/${homes[2]}/ and ./${homes[0]}/\n`
    }
  ]
}

const registry =
  /\bregistry\.[\w-]+\.\w+|\bnpm\.pkg\.\w+|^\s*(?:@[\w-]+:)?registry\s*=|_auth(?:Token)?\s*=|"resolved":\s*"[^"]*:\/\//gm

const inLockfile = (resolved: string) => `{ "packages": { "node_modules/planted": { "resolved": "${resolved}" } } }\n`

/** Put together here for the same reason. */
const host = ["registry", "example", "com"].join(".")

export const registryAddress: Rule = {
  name: "no registries and no download addresses",
  find: (files) =>
    [...files].flatMap(([path, text]) =>
      [...text.matchAll(registry)].map((found) => ({
        path,
        line: lineAt(text, found.index),
        message: `"${found[0].trim()}" says where packages came from`
      }))
    ),
  refuses: [
    { "package-lock.json": inLockfile(`https://${host}/planted/-/planted-1.0.0.tgz`) },
    { "package-lock.json": inLockfile("git+ssh://git@example.com/planted.git") },
    { ".npmrc": "registry" + "=http://localhost:4873/\n" },
    { "docs/planted.md": `install it from ${host}\n` }
  ],
  accepts: [
    { "package-lock.json": inLockfile("packages/core") },
    { "docs/planted.md": "comes from the npm registry.\n" }
  ]
}
