/** Collects the licences of third-party code in a bundle. These licences must accompany the code. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const folderOf = (input: string): string | undefined => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]

/** `inputs` are source paths relative to `root`. */
export const licenceNoticesOf = (root: string, inputs: ReadonlyArray<string>): string => {
  const folders = [...new Set(inputs.flatMap((input) => folderOf(input) ?? []))].sort()
  return folders
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => {
      const { license, name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
      const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e/i.test(each))
      const text = file === undefined ? `Licence: ${license}` : readFileSync(join(root, folder, file), "utf8").trim()
      return `${name} ${version}\n\n${text}\n`
    })
    .join(`\n${"-".repeat(80)}\n\n`)
}
