/**
 * Makes one small program of each host that is deployed and all that it imports: it starts in a fraction of the time and keeps a
 * fraction of the source text in memory. `npm ci` runs this; the command line uses its bundle as long as the sources hash to
 * what it was made of (hosts/node/bin). Lambda is given its bundle's folder.
 * With a folder as its argument, it makes Lambda's alone, there.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { explorerScript } from "@partner-commentary/server/openapi/ExplorerScript"
import * as Effect from "effect/Effect"
import { type BuildOptions, build, type Plugin } from "esbuild"
import { noticesOf } from "./packing/Notices.ts"
import * as SourceDigest from "./packing/SourceDigest.ts"

const root = join(import.meta.dirname, "..")
const explorer = gzipSync(await Effect.runPromise(explorerScript), { level: 9 })

/**
 * An `import` of one of Node's modules asks it for all that it exports, so that `node:http` brings an HTTP client, web streams
 * and worker threads along: 14 MB that nobody uses. Asked for by name, it gives what is used.
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

const bundle = async (outdir: string, { plugins = [], ...options }: BuildOptions) => {
  rmSync(outdir, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    minifyWhitespace: true,
    minifySyntax: true,
    charset: "ascii",
    legalComments: "external",
    metafile: true,
    plugins: [sparingly, ...plugins],
    logLevel: "warning",
    // CommonJS inside of it asks for Node's own modules. No name that minifying makes is as long.
    banner: { js: 'import{createRequire as makeRequire}from"node:module";const require=makeRequire(import.meta.url);' },
    ...options
  })
  const inputs = Object.keys(metafile?.inputs ?? {})
  writeFileSync(join(outdir, "explorer.js.gz"), explorer)
  writeFileSync(join(outdir, "NOTICES.txt"), noticesOf(root, inputs))
  return inputs.filter((input) => !/node_modules\/|^node:/.test(input))
}

/** The program is a file beside the bundle: what would make it anew is no part of it. */
const explorerIsAFile: Plugin = {
  name: "the explorer is a file",
  setup: ({ onResolve }) => {
    onResolve({ filter: /\/ExplorerScript\.ts$/ }, ({ path }) => ({ path, external: true }))
  }
}

const bundleNode = async (host: string) => {
  const outdir = join(host, "bundle")
  // Names stay, for traces and logs; texts in ASCII take half the memory.
  const sources = await bundle(outdir, { entryPoints: { main: join(host, "src", "main.ts") } })
  SourceDigest.write(root, host, sources)
}

const lambda = join(root, "hosts", "lambda")
const [folder] = process.argv.slice(2)
if (folder === undefined) await bundleNode(join(root, "hosts", "node"))
await bundle(folder ?? join(lambda, "bundle"), {
  entryPoints: { index: join(lambda, "src", "main.ts") },
  minifyIdentifiers: true,
  plugins: [explorerIsAFile]
})
