/** Tests which modules of dependencies the bundles replace. */
import type { OnLoadArgs, PluginBuild } from "esbuild"
import { expect, it } from "vitest"
import { replaceUnusedModulesPlugin } from "../packing/UnusedModules.ts"

/** Loads the modules as esbuild would, and returns the replacement of each module and the plugin's errors. */
const load = (paths: ReadonlyArray<string>) => {
  const contents: Array<unknown> = []
  let errors: ReadonlyArray<unknown> = []
  const build: Pick<PluginBuild, "onEnd" | "onLoad" | "onStart"> = {
    onStart: (start) => void start(),
    onLoad: ({ filter }, replace) => {
      for (const path of paths.filter((each) => filter.test(each))) {
        contents.push((replace({ path } as OnLoadArgs) as { readonly contents: unknown }).contents)
      }
    },
    onEnd: (end) => {
      errors = (end({} as never) as { readonly errors: ReadonlyArray<unknown> }).errors
    }
  }
  void replaceUnusedModulesPlugin.setup(build as PluginBuild)
  return { contents, errors }
}

const all = load([]).errors.length
const services = "nodemailer/dist/esm/well-known/services.js"

it.each([`/checkout/node_modules/${services}`, `C:\\checkout\\node_modules\\${services.replaceAll("/", "\\")}`])(
  "the bundles leave out the module %s",
  (path) => {
    const { contents, errors } = load([path, path.replace("nodemailer", "undici")])
    expect(contents).toEqual(["export const services = {}"])
    expect(errors).toHaveLength(all - 1)
  }
)
