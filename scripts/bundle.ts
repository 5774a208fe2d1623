/**
 * Bundles each deployed host with everything that it imports. A bundle starts faster than the sources and keeps less
 * source text in memory. `npm ci` runs this script. The command line uses its bundle while the hash of the sources
 * matches the bundle (hosts/node/bin). To deploy the Lambda host, upload its bundle's folder. With a folder as its
 * argument, the script writes only Lambda's bundle, to that folder.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { apiRootPlaceholder } from "@partner-commentary/server/openapi/ApiDescriptionTemplate"
import { generateOpenApiJson } from "@partner-commentary/server/openapi/DescriptionText"
import { extractExplorerScript } from "@partner-commentary/server/openapi/ExplorerScript"
import * as Effect from "effect/Effect"
import { type BuildOptions, build, type Plugin } from "esbuild"
import { collectLicenceNotices } from "./packing/Notices.ts"
import * as SourceDigest from "./packing/SourceDigest.ts"
import * as UnusedModules from "./packing/UnusedModules.ts"
import { repositoryRoot } from "./Repository.ts"

const explorer = gzipSync(await Effect.runPromise(extractExplorerScript), { level: 9 })

/**
 * An `import` of a Node module loads all of its exports. The exports of `node:http` include an HTTP client, web streams
 * and worker threads: 14 MB that the host does not use. `process.getBuiltinModule` loads the exports of a Node module
 * lazily.
 */
const sparingly: Plugin = {
  name: "sparingly",
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^node:/ }, ({ kind, path }) =>
      kind === "import-statement" ? { path, namespace: "node" } : undefined
    )
    onLoad({ filter: /^/, namespace: "node" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule("${path}")`,
      loader: "js"
    }))
  }
}

const bundle = async (outdir: string, options: BuildOptions) => {
  rmSync(outdir, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: repositoryRoot,
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    minifyWhitespace: true,
    minifySyntax: true,
    // V8 stores a source with characters outside Latin-1 in two bytes per character, so esbuild escapes them.
    charset: "ascii",
    legalComments: "external",
    metafile: true,
    plugins: [sparingly, UnusedModules.replaceUnusedModulesPlugin],
    logLevel: "warning",
    ...options
  })
  const inputs = Object.keys(metafile?.inputs ?? {})
  writeFileSync(join(outdir, "explorer.js.gz"), explorer)
  writeFileSync(join(outdir, "NOTICES.txt"), collectLicenceNotices(repositoryRoot, inputs))
  return inputs.filter((input) => !/node_modules\/|^node:/.test(input))
}

const lambda = join(repositoryRoot, "hosts", "lambda")
const [folder = join(lambda, "bundle")] = process.argv.slice(2)
if (process.argv.length === 2) {
  const host = join(repositoryRoot, "hosts", "node")
  // Identifiers are not minified, so that names stay readable in traces and logs.
  const sources = await bundle(join(host, "bundle"), {
    entryPoints: { main: join(host, "src", "main.ts") },
    // Bundled CommonJS code calls `require` for Node's own modules. All names that the minifier generates are shorter
    // than `makeRequire`, so no name conflicts with it.
    banner: { js: 'import{createRequire as makeRequire}from"node:module";const require=makeRequire(import.meta.url);' }
  })
  SourceDigest.writeSourceDigest(repositoryRoot, host, sources)
}
await bundle(folder, {
  entryPoints: { index: join(lambda, "src", "main.ts") },
  minifyIdentifiers: true,
  // The explorer and the API description are files beside the bundle, so the bundle omits the code that builds them.
  external: ["*/ExplorerScript.ts", "*/DescriptionText.ts"]
})
writeFileSync(join(folder, "openapi.json.gz"), gzipSync(generateOpenApiJson(apiRootPlaceholder), { level: 9 }))
