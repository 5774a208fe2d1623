/**
 * Import rules: the layers of docs/architecture.md, no cycles, declared dependencies, `effect` by deep paths.
 * `scripts/test/ImportRules.test.ts` plants violations of each rule.
 */
import { builtinModules } from "node:module"
import type { IRegularForbiddenRuleType } from "dependency-cruiser"

interface Layer {
  /** A regular expression that matches workspace folders. */
  readonly layer: string
  /** A folder of this workspace that the rule excludes, because it is a separate layer. */
  readonly except?: string
  /** Regular expressions of the other workspaces that this layer may import. */
  readonly workspaces: ReadonlyArray<string>
  /** A regular expression of modules below `effect` that this layer may not import. */
  readonly notEffect?: string
  /**
   * A regular expression of the npm packages and Node modules that this layer may import. By default it may import
   * none.
   */
  readonly packages?: string
}

const except = (folders: string) => `dist/(?!(?:${folders})/)[^/]+/`
const pure = "crypto|encoding|net|persistence|schema"

const layers: ReadonlyArray<Layer> = [
  { layer: "packages/core", workspaces: [], notEffect: except(pure) },
  { layer: "packages/api", workspaces: ["packages/core"], notEffect: except(`${pure}|http|http-api`) },
  { layer: "packages/server", workspaces: ["packages/core", "packages/api"], notEffect: "dist/(sql|cli|testing)/" },
  { layer: "packages/sql", workspaces: ["packages/core"], notEffect: except(`${pure}|sql|reactivity`) },
  { layer: "packages/client", except: "src/cli", workspaces: [], notEffect: "" },
  {
    layer: "packages/client/src/cli",
    workspaces: ["packages/client/src"],
    notEffect: "",
    packages: `^(${builtinModules.join("|")})$`
  },
  { layer: "packages/settings", workspaces: ["packages/core", "adapters/[^/]+"], notEffect: except(pure) },
  {
    layer: "packages/testkit",
    workspaces: ["packages/core"],
    notEffect: "dist/cli/",
    packages: "^node_modules/(vitest|@effect/vitest|fast-check)/"
  },
  {
    layer: "adapters/(?:sqlite|postgres)",
    workspaces: ["packages/core", "packages/sql"],
    notEffect: "dist/(cli|testing)/",
    packages: ".*"
  },
  {
    layer: "adapters/(?!sqlite/|postgres/)[^/]+",
    workspaces: ["packages/core"],
    notEffect: "dist/(sql|cli|testing)/",
    packages: ".*"
  },
  {
    layer: "packages/partner-commentary",
    workspaces: ["packages/(?:core|api|server|sql)", "adapters/[^/]+"],
    notEffect: "dist/(cli|testing)/",
    packages: "^(node_modules/@effect/platform-node-shared/|http$|crypto$|timers$)"
  },
  { layer: "hosts/[^/]+", workspaces: ["packages/[^/]+", "adapters/[^/]+"], packages: ".*" }
]

const error = (
  name: string,
  from: IRegularForbiddenRuleType["from"],
  to: IRegularForbiddenRuleType["to"]
): IRegularForbiddenRuleType & { readonly name: string } => ({ name, severity: "error", from, to })

const layerRules = layers.flatMap(({ except, layer, notEffect, packages, workspaces }) => {
  const from = { path: `^(${layer})/`, ...(except === undefined ? {} : { pathNot: `^${layer}/${except}/` }) }
  const foreign = { pathNot: ["^(packages|adapters|hosts)/", "^node_modules/effect/", ...(packages ? [packages] : [])] }
  return [
    error(`${layer}: workspaces`, from, {
      path: "^(packages|adapters|hosts)/",
      pathNot: ["^$1/", ...workspaces.map((path) => `^${path}/`)]
    }),
    ...(notEffect === undefined
      ? []
      : [error(`${layer}: effect`, from, { path: `^node_modules/effect/${notEffect}` })]),
    ...(packages === ".*" ? [] : [error(`${layer}: packages`, from, foreign)])
  ]
})

const source = "^(packages|adapters|hosts)/[^/]+/(src|bin)/"

export default {
  forbidden: [
    ...layerRules,
    error("no-unknown-workspace", { path: source, pathNot: layers.map(({ layer }) => `^${layer}/`) }, {}),
    error("no-circular", { path: source }, { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } }),
    {
      ...error("core-folders-form-a-hierarchy", { path: "^packages/core/src/" }, { circular: true }),
      scope: "folder" as const
    },
    error(
      "relative-imports-stay-in-their-workspace",
      { path: "^((packages|adapters|hosts)/[^/]+)/" },
      { dependencyTypes: ["local"], pathNot: "^$1/" }
    ),
    error(
      "effect-by-deep-paths",
      { path: source },
      { path: "^node_modules/effect/dist/(index|[^/]+/index|internal/.*)[.]" }
    ),
    error(
      "schema-compiler-in-entry-points-only",
      { path: source, pathNot: "^hosts/(node|lambda)/src/main[.]ts$" },
      { path: "SchemaJITCompiler/enable" }
    ),
    error(
      "test-host-in-tests-and-examples-only",
      { pathNot: "^(hosts/test|examples|bench)/|/test(-long)?/" },
      { path: "^hosts/test/" }
    ),
    error(
      "benches-take-only-postgres-of-the-test-host",
      { path: "^bench/" },
      { path: "^hosts/test/", pathNot: "^hosts/test/src/postgres/" }
    ),
    error(
      "declared-dependencies",
      { path: source },
      { dependencyTypes: ["npm-no-pkg", "npm-dev", "npm-unknown"], dependencyTypesNot: ["npm", "npm-peer"] }
    ),
    error(
      "workspaces-do-not-import-themselves-by-name",
      { path: "^((packages|adapters|hosts)/[^/]+)/" },
      { path: "^$1/", dependencyTypesNot: ["local"] }
    ),
    // A build with project references keeps `.ts` in the import paths of the client's declarations.
    // `scripts/packing/Stage.ts` replaces this ending.
    error("resolvable", { pathNot: "^packages/client/dist/" }, { couldNotResolve: true })
  ],
  options: {
    // The TypeScript 7 package contains no parser for this tool.
    parser: "swc" as const,
    tsPreCompilationDeps: true,
    doNotFollow: { path: "node_modules" },
    exclude: {
      path: [
        "^(packages|adapters|hosts)/[^/]+/(dist|bundle)/",
        // swc's adapter cannot parse the `using` declarations in these files.
        "^(packages|adapters|hosts)/[^/]+/test(-long)?/",
        "^bench/harness[.]ts$",
        // It imports a generated client and packages that only a project of a long test installs.
        "^examples/libraries/"
      ]
    },
    builtInModules: { override: [...builtinModules], add: [] },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "types", "node", "default"],
      extensions: [".ts", ".js", ".mjs", ".d.ts"]
    }
  }
}
