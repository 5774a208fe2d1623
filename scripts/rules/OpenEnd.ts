/** Nothing is left for later: an open end is an issue, not a comment. */
import type { Rule } from "../Gate.ts"
import { lineAt } from "../SourceText.ts"

/** Put together here, so that this file may hold them. */
const words = ["TO", "FIX"].map((start, at) => start + ["DO", "ME"][at])

export const openEnd: Rule = {
  name: "no open ends",
  find: (files) =>
    [...files]
      .filter(([path]) => path !== "package-lock.json")
      .flatMap(([path, text]) =>
        [...text.matchAll(new RegExp(String.raw`\b(${words.join("|")})\b`, "g"))].map((found) => ({
          path,
          line: lineAt(text, found.index),
          message: `says ${found[0]}`
        }))
      ),
  refuses: words.flatMap((word) => [
    { "packages/core/src/Planted.ts": `// ${word}: later\n` },
    { "docs/planted.md": `* ${word} later\n` },
    { "hosts/node/test/Planted.test.ts": `it.${word}("later")\n` }
  ]),
  accepts: [{ "packages/core/src/Planted.ts": `it.${words[0]?.toLowerCase()}("later")\n` }]
}
