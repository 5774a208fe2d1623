/**
 * Tests that every relative link in Markdown leads to an existing file of the repository and to an existing heading.
 */
import { existsSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { describe, expect, it } from "vitest"
import { readRepositoryFiles, repositoryRoot } from "../Repository.ts"

const withoutCode = (text: string) => text.replace(/^```[\s\S]*?^```$/gm, "")

/**
 * Returns a heading's anchor as GitHub forms it. GitHub numbers repeated headings, but no link in this repository uses
 * a numbered anchor.
 */
const anchors = (text: string) =>
  [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
  )

const broken = (pages: ReadonlyMap<string, string>, isFile: (path: string) => boolean) =>
  [...pages].flatMap(([page, text]) =>
    [...withoutCode(text).matchAll(/\[[^\]]*\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]*))?\)/g)].flatMap(
      ([link, path = "", anchor]) => {
        const target = path === "" ? page : normalize(join(dirname(page), path))
        if (path !== "" && !isFile(target)) return [`${page}: ${link}`]
        const isThere = anchor === undefined || anchors(pages.get(target) ?? "").includes(anchor)
        return isThere ? [] : [`${page}: ${link}`]
      }
    )
  )

const isMarkdown = ([path]: readonly [string, string]) => path.endsWith(".md")

describe("relative links in Markdown", () => {
  it("relative links in Markdown lead to an existing file and an existing heading", () => {
    const pages = new Map([...readRepositoryFiles()].filter(isMarkdown))
    expect(pages.size).toBeGreaterThan(40)
    expect(broken(pages, (path) => existsSync(join(repositoryRoot, path)))).toEqual([])
  })

  it("relative links in Markdown are reported when the file or the heading is missing", () => {
    const pages = new Map([
      ["docs/a.md", "# A\n[b](b.md) [c](c.md) [one](b.md#one) [two](b.md#two-words) [self](#a) [no](#b)\n"],
      ["docs/b.md", "# One\n## Two, words\n```sh\n# three\n[x](nowhere.md)\n```\n"]
    ])
    expect(broken(pages, (path) => pages.has(path))).toEqual(["docs/a.md: [c](c.md)", "docs/a.md: [no](#b)"])
  })
})
