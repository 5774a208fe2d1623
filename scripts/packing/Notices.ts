/** Collects the licences of the third-party code in a bundle. Redistributed code must be accompanied by its licence. */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const folderOf = (input: string): string | undefined => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0]

/** `inputs` are source paths relative to `root`. */
export const collectLicenceNotices = (root: string, inputs: ReadonlyArray<string>): string => {
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
