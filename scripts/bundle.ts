/**
 * Makes one small program of the Node host and all that it imports: it starts in a fraction of the time and keeps a
 * fraction of the source text in memory. `npm ci` runs this; the command line uses the bundle as long as no source is
 * newer (hosts/node/bin), so that whoever edits a source runs what was edited.
 */
import { rmSync, statSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { gzipSync } from "node:zlib"
import { explorerScript } from "@partner-commentary/server/description/ExplorerScript"
import * as Effect from "effect/Effect"
import { build, type Plugin } from "esbuild"

const root = join(import.meta.dirname, "..")
const host = join(root, "hosts", "node")
const outdir = join(host, "bundle")

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

rmSync(outdir, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { main: join(host, "src", "main.ts") },
  outdir,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  // Names stay, for traces and logs; texts in ASCII take half the memory.
  minifyWhitespace: true,
  minifySyntax: true,
  charset: "ascii",
  legalComments: "external",
  metafile: true,
  plugins: [sparingly],
  logLevel: "warning",
  // CommonJS inside of it asks for Node's own modules.
  banner: { js: 'import{createRequire as r}from"node:module";const require=r(import.meta.url);' }
})

writeFileSync(join(outdir, "explorer.js.gz"), gzipSync(await Effect.runPromise(explorerScript), { level: 9 }))

const sources = Object.keys(metafile.inputs).filter((input) => !/node_modules\/|^node:/.test(input))
const times = Object.fromEntries(
  sources.map((input) => [relative(host, join(root, input)), statSync(join(root, input)).mtimeMs])
)
writeFileSync(join(outdir, "sources.json"), JSON.stringify(times))
