/**
 * Bundles the package as an application's bundler would: minified, and with only the exports that the given source
 * uses.
 */
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"

export const bundleAndMeasure = async (source: string, format: "esm" | "iife" = "esm") => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: join(import.meta.dirname, "..", "src"), loader: "ts" },
    bundle: true,
    minify: true,
    format,
    globalName: "PC",
    platform: "neutral",
    target: "es2022",
    metafile: true,
    write: false,
    logLevel: "silent"
  })
  const text = outputFiles[0]?.text ?? ""
  return { text, gzipped: gzipSync(text, { level: 9 }).length, inputs: Object.keys(metafile.inputs) }
}

/** The source of a module that exports the whole client, for tests that bundle it. */
export const sourceExportingAll = 'export * from "./PartnerCommentary.ts"'
export const sourceExportingVerification = 'export { verifyWebhook } from "./PartnerCommentary.ts"'
