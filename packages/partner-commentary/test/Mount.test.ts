/**
 * Tests that the service logs one warning if the mount path differs from the path of the option `url`. The warning must
 * say to which value `url` must be set, or where the service must be mounted.
 */
import { describe, expect, it } from "vitest"
import * as Mount from "../src/Mount.ts"

const told = (apiRoot: string, use: (mount: Mount.MountPathMonitor) => void): ReadonlyArray<string> => {
  const lines: Array<string> = []
  use(Mount.makeMountPathMonitor(apiRoot, (line) => lines.push(line)))
  return lines
}

const root = "https://app.example/commentary"
const missed =
  (...targets: ReadonlyArray<string>) =>
  (mount: Mount.MountPathMonitor) => {
    for (const target of targets) mount.answered(target, 404)
  }
const removed =
  (...paths: ReadonlyArray<unknown>) =>
  (mount: Mount.MountPathMonitor) => {
    for (const path of paths) mount.removed(path)
  }

const wrong: ReadonlyArray<
  readonly [what: string, url: string, use: (mount: Mount.MountPathMonitor) => void, sentence: string]
> = [
  ["Express removes another path", root, removed("/comment"), "set url to https://app.example/comment."],
  ["Express removes a path that url has not", "https://app.example", removed("/comment"), "Mount the service at /, or"],
  ["the path is doubled", root, missed("/commentary/commentary/partner/v1"), "below /commentary/commentary, but"],
  ["another path is in front", root, missed("/comment/partner/v1/topics?limit=1"), "to https://app.example/comment."],
  ["url has no path", "https://app.example", missed("/a/b/healthz"), "set url to https://app.example/a/b."]
]

describe("Mount path", () => {
  it.each(wrong)("a wrong mount path is logged once: %s", (_, url, use, sentence) => {
    const lines = told(url, (mount) => {
      use(mount)
      use(mount)
    })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(sentence)
  })

  it.each([
    ["an unknown topic", root, missed("/commentary/partner/v1/topics/unknown", "/partner/v1/topics/unknown")],
    ["a link within a creator's path", root, missed("/commentary/creator/token/docs/x", "/creator/token/docs/x")],
    ["an unknown path", root, missed("/favicon.ico", "/", "/commentary", "/commentary/nothing")],
    ["the path of url", root, removed("/commentary")],
    ["no path", root, removed("", undefined)]
  ])("a request for %s logs no warning about the mount path", (_, url, use) => {
    expect(told(url, use)).toEqual([])
  })

  it("after the service has answered a request, a request to an unknown path logs no warning", () => {
    const lines = told(root, (mount) => {
      mount.answered("/commentary/healthz", 200)
      mount.answered("/wp/docs", 404)
    })
    expect(lines).toEqual([])
  })
})
