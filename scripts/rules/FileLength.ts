/** How long a file may be. Generated files are data, not sources. */
import type { Rule } from "../Gate.ts"
import { type Files, isSource } from "../Repository.ts"

const most = 400
const smell = 250

const lengths = (files: Files) =>
  [...files]
    .filter(([path]) => isSource(path))
    .map(([path, text]) => ({ path, length: text.split("\n").length - (text.endsWith("\n") ? 1 : 0) }))

const lines = (count: number) => "export const a = 1\n".repeat(count)

export const fileLength: Rule = {
  name: `at most ${most} lines`,
  find: (files) =>
    lengths(files)
      .filter(({ length }) => length > most)
      .map(({ path, length }) => ({ path, line: length, message: `${length} lines` })),
  refuses: [
    { "packages/core/src/Planted.ts": lines(most + 1) },
    { "hosts/node/src/Planted.ts": lines(most + 1) },
    { "adapters/smtp/test/Planted.test.ts": lines(most + 1) },
    { "scripts/planted.js": lines(most + 1) }
  ],
  accepts: [{ "packages/core/src/Planted.ts": lines(most) }, { "docs/planted.md": lines(most + 1) }]
}

/** The files that smell, and the median of what ships. */
export const lengthReport = (files: Files): ReadonlyArray<string> => {
  const all = lengths(files)
  const sizes = all
    .filter(({ path }) => /^(packages|adapters|hosts)\/[^/]+\/src\//.test(path))
    .map(({ length }) => length)
    .sort((one, other) => one - other)
  return [
    ...all
      .filter(({ length }) => length > smell && length <= most)
      .map(({ path, length }) => `warning: ${path} has ${length} lines`),
    `limits: ${sizes.length} files in src, median ${sizes[Math.floor(sizes.length / 2)] ?? 0} lines`
  ]
}
