/** Which workspace may import what. The table is the architecture; a workspace of `packages` must have a line of its own. */
import type { Finding, Rule } from "../Gate.ts"
import { imports, isRelative, packageOf } from "../Imports.ts"
import { type Files, shipped, workspaces } from "../Repository.ts"

interface Arrow {
  /** The first that matches a workspace's folder is its arrow. */
  readonly workspace: RegExp
  readonly sees: RegExp
  /** The folders of `effect` besides its top level; null where `effect` is not imported at all. */
  readonly effect: RegExp | null
  readonly node: boolean
  /** Packages that are neither ours nor `effect`. */
  readonly foreign: RegExp
}

const nothing = /^$/
const anything = /^/

const pure = "crypto|encoding|net|persistence|schema"

const arrows: ReadonlyArray<Arrow> = [
  {
    workspace: /^packages\/core$/,
    sees: nothing,
    effect: new RegExp(`^(${pure})$`),
    node: false,
    foreign: nothing
  },
  {
    workspace: /^packages\/api$/,
    sees: /^packages\/core$/,
    effect: new RegExp(`^(${pure}|http|http-api)$`),
    node: false,
    foreign: nothing
  },
  {
    workspace: /^packages\/server$/,
    sees: /^packages\/(core|api)$/,
    effect: /^(?!(sql|cli|testing)$)/,
    node: false,
    foreign: nothing
  },
  {
    workspace: /^packages\/sql$/,
    sees: /^packages\/core$/,
    effect: new RegExp(`^(${pure}|sql|reactivity)$`),
    node: false,
    foreign: nothing
  },
  {
    workspace: /^packages\/client$/,
    sees: nothing,
    effect: null,
    node: false,
    foreign: nothing
  },
  {
    // What a variable may say is for the adapter to judge that it is about.
    workspace: /^packages\/settings$/,
    sees: /^(packages\/core$|adapters\/)/,
    effect: new RegExp(`^(${pure})$`),
    node: false,
    foreign: nothing
  },
  {
    workspace: /^packages\/testkit$/,
    sees: /^packages\/core$/,
    effect: /^(?!cli$)/,
    node: false,
    foreign: /^(vitest|@effect\/vitest|fast-check)$/
  },
  {
    workspace: /^adapters\/(sqlite|postgres)$/,
    sees: /^packages\/(core|sql)$/,
    effect: /^(?!(cli|testing)$)/,
    node: true,
    foreign: anything
  },
  {
    workspace: /^adapters\//,
    sees: /^packages\/core$/,
    effect: /^(?!(sql|cli|testing)$)/,
    node: true,
    foreign: anything
  },
  { workspace: /^hosts\//, sees: /^(packages|adapters)\//, effect: anything, node: true, foreign: anything }
]

/** Why a workspace may not import this, or `null`. */
const refusal = (arrow: Arrow, specifier: string, folders: ReadonlyMap<string, string>): string | null => {
  const name = packageOf(specifier)
  const folder = folders.get(name)
  if (folder !== undefined) return arrow.sees.test(folder) ? null : `does not see ${folder}`
  if (specifier.startsWith("node:")) return arrow.node ? null : "knows no Node"
  if (name !== "effect") return arrow.foreign.test(name) ? null : "imports no such package"
  if (arrow.effect === null) return "does not use effect"
  const inner = specifier.split("/").slice(1, -1)[0]
  return inner === undefined || arrow.effect.test(inner) ? null : `does not use effect/${inner}`
}

const find = (files: Files): ReadonlyArray<Finding> => {
  const all = workspaces(files)
  const folders = new Map(all.map(({ folder, manifest }) => [manifest.name, folder]))
  return all.flatMap(({ folder }) => {
    const arrow = arrows.find(({ workspace }) => workspace.test(folder))
    if (arrow === undefined) return [{ path: `${folder}/package.json`, line: 1, message: "has no arrow" }]
    return shipped(files, folder).flatMap(([path, text]) =>
      imports(text).flatMap(({ specifier, line }) => {
        if (specifier === null) {
          return arrow.node ? [] : [{ path, line, message: "imports what nobody can tell" }]
        }
        const why = isRelative(specifier) ? null : refusal(arrow, specifier, folders)
        return why === null ? [] : [{ path, line, message: `"${specifier}": ${folder} ${why}` }]
      })
    )
  })
}

const planted = (folder: string, specifier: string) => ({ [`${folder}/src/Planted.ts`]: `import "${specifier}"\n` })

export const arrow: Rule = {
  name: "arrows",
  find,
  refuses: [
    planted("packages/core", "effect/http/HttpRouter"),
    planted("packages/core", "effect/http-api/HttpApi"),
    planted("packages/core", "effect/sql/SqlClient"),
    planted("packages/core", "effect/cli/Command"),
    planted("packages/core", "effect/testing/TestClock"),
    planted("packages/core", "node:crypto"),
    planted("packages/core", "fs"),
    planted("packages/core", "nodemailer"),
    planted("packages/core", "@partner-commentary/api/Api"),
    planted("packages/core", "@partner-commentary/sql/topics/TopicStore"),
    planted("packages/core", "@partner-commentary/core/Core"),
    planted("packages/api", "node:crypto"),
    planted("packages/api", "effect/sql/SqlClient"),
    planted("packages/api", "@partner-commentary/server/Routes"),
    planted("packages/server", "node:http"),
    planted("packages/server", "@effect/platform-node/NodeHttpServer"),
    planted("packages/server", "@partner-commentary/sql/topics/TopicStore"),
    planted("packages/server", "@partner-commentary/node/main"),
    planted("packages/sql", "node:sqlite"),
    planted("packages/sql", "effect/http/HttpRouter"),
    planted("packages/sql", "@partner-commentary/api/Api"),
    planted("packages/sql", "@partner-commentary/sqlite/Sqlite"),
    planted("packages/client", "@partner-commentary/api/TopicsApi"),
    planted("packages/client", "@partner-commentary/core/topic/Topic"),
    planted("packages/client", "@partner-commentary/server/Routes"),
    planted("packages/client", "@partner-commentary/client"),
    planted("packages/client", "effect/Effect"),
    planted("packages/client", "effect/http/HttpClient"),
    planted("packages/client", "node:crypto"),
    planted("packages/client", "standardwebhooks"),
    { "packages/client/src/Planted.ts": 'import type { Topic } from "@partner-commentary/api/TopicsApi"\n' },
    { "packages/client/src/Planted.ts": "export const load = (name: string) => import(name)\n" },
    planted("packages/server", "@partner-commentary/client"),
    planted("packages/settings", "@partner-commentary/server/Routes"),
    planted("packages/settings", "node:process"),
    planted("packages/core", "@partner-commentary/settings/Settings"),
    planted("adapters/smtp", "@partner-commentary/settings/Settings"),
    planted("packages/testkit", "node:fs"),
    planted("packages/testkit", "@partner-commentary/sqlite/Sqlite"),
    planted("adapters/sqlite", "@partner-commentary/api/Api"),
    planted("adapters/sqlite", "@partner-commentary/test/Harness"),
    planted("adapters/smtp", "@partner-commentary/sql/topics/TopicStore"),
    planted("adapters/smtp", "@partner-commentary/generator/LocalGenerator"),
    planted("adapters/generator", "effect/sql/SqlClient"),
    planted("hosts/node", "@partner-commentary/test/Harness"),
    planted("hosts/test", "@partner-commentary/node/main"),
    { "packages/core/src/Planted.ts": 'import {\n  type Server,\n  createServer\n} from "node:http"\n' },
    { "packages/core/src/Planted.ts": 'import type { Server } from "node:http"\n' },
    { "packages/core/src/Planted.ts": 'export type * as http from "node:http"\n' },
    { "packages/core/src/Planted.ts": 'export { createServer } from "node:http"\n' },
    { "packages/core/src/Planted.ts": 'export const http = () => import(\n  "node:http"\n)\n' },
    { "packages/core/src/Planted.ts": "export const load = (name: string) => import(name)\n" },
    { "packages/core/src/Planted.ts": 'export type Server = import("node:http").Server\n' },
    { "packages/planted/package.json": '{ "name": "@partner-commentary/planted" }' }
  ],
  accepts: [
    planted("packages/core", "effect/Effect"),
    planted("packages/core", "effect/crypto/Digest"),
    planted("packages/core", "effect/net/IpNetwork"),
    planted("packages/core", "effect/persistence/PersistedQueue"),
    planted("packages/api", "effect/http-api/HttpApi"),
    planted("packages/server", "@partner-commentary/api/Api"),
    planted("packages/sql", "effect/sql/SqlClient"),
    planted("packages/client", "./Topic.ts"),
    planted("packages/settings", "@partner-commentary/smtp/MailSetting"),
    planted("packages/testkit", "@effect/vitest"),
    planted("adapters/sqlite", "node:sqlite"),
    planted("adapters/sqlite", "@partner-commentary/sql/topics/TopicStore"),
    planted("adapters/smtp", "nodemailer"),
    planted("hosts/node", "@partner-commentary/sqlite/Sqlite"),
    planted("hosts/test", "effect/testing/TestClock"),
    { "packages/core/src/Planted.ts": '// import "node:fs"\nexport const text = `import "node:fs"`\n' }
  ]
}
