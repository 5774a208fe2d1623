/**
 * Tests that docs/reference/ports.md has every port of the core in the right group, with its sentences and its suites.
 */
import { basename } from "node:path"
import { describe, expect, it } from "vitest"
import { readRepositoryFiles } from "../Repository.ts"

const files = readRepositoryFiles()
const oneLine = (text: string) => text.replace(/\s+/g, " ").trim()
const entry = /^- \*\*\[(\w+)\]\(\.\.\/\.\.\/(\S+)\)\.\*\* ((?:.+\n)+?)(?= {2}- |\n)/

/** Maps each heading of the page to its ports. */
const groups = new Map(
  (files.get("docs/reference/ports.md") ?? "").split(/^## /m).map((section) => {
    const [title = "", ...lines] = section.split("\n")
    const ports = lines
      .join("\n")
      .split(/^(?=- )/m)
      .flatMap((text) => {
        const [, name, path, about = ""] = entry.exec(text) ?? []
        const suites = [...text.matchAll(/Suite: \[(\w+)\]/g)].map(([, suite]) => suite)
        return name === undefined || path === undefined ? [] : [{ name, path, about: oneLine(about), suites }]
      })
    return [title, ports]
  })
)
const ports = [...groups.values()].flat()

const headerOf = (path: string) =>
  oneLine((/^\/\*\*([\s\S]*?)\*\//.exec(files.get(path) ?? "")?.[1] ?? "").replace(/^ \* ?/gm, " "))

describe("the reference page docs/reference/ports.md", () => {
  it("the page of ports lists each port once, with the sentences of the port's file", () => {
    const headers = [...files.keys()]
      .filter((path) => path.startsWith("packages/core/src/"))
      .flatMap((path) => (headerOf(path).startsWith("The port ") ? [[path, headerOf(path)]] : []))
    expect(ports.map(({ about, path }) => [path, about]).toSorted()).toEqual(headers.toSorted())
    for (const { name, path } of ports) expect(name).toBe(basename(path, ".ts"))
  })

  it("docs/reference/ports.md lists each test suite beside the port that the suite tests", () => {
    const suites = [...files]
      .filter(([path]) => /^packages\/testkit\/src\/[a-z]+\/\w+Suite\.ts$/.test(path))
      .map(([path, text]) => [/\bdescribe\(`\$\{name\}: (\w+)/.exec(text)?.[1], basename(path, ".ts")])
    expect(ports.flatMap(({ name, suites }) => suites.map((suite) => [name, suite])).toSorted()).toEqual(
      suites.toSorted()
    )
  })

  it("the page lists ports under the right heading: replaceable alone, replaceable as one unit, registries, or state of a process", () => {
    const below = (title: string) => groups.get(title)?.map(({ name }) => name)
    expect(below("Replaceable alone")).toEqual([
      "CommentaryGenerator",
      "DashboardTokenVerifier",
      "Mailer",
      "MediaStorage",
      "MediaSynthesizer",
      "OrganizationStore",
      "PersonaStore",
      "WebhookTransport"
    ])
    expect(below("Registries of partners and personas")).toEqual(["OrganizationRegistry", "PersonaRegistry"])
    expect(below("State of a process")).toEqual(["AccessChanges", "RateWindows", "WorkSignal"])
    expect(below("Replaceable as one unit")).toContain("TopicStore")
  })
})
