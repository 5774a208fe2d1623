/** Tests that docs/reference/ports.md matches the sources: no port is missing or in a wrong group. */
import { describe, expect, it } from "vitest"
import { portsOf } from "../ports/Port.ts"
import { readFiles } from "../Repository.ts"

const files = readFiles()
const ports = portsOf(files)
const port = (name: string) => ports.find((one) => one.name === name)
const without = (path: string, change: (text: string) => string) =>
  new Map([...files, [path, change(files.get(path) ?? "")]])

describe("the ports", () => {
  it("the ports include those with a default value, but no settings", () => {
    expect(port("MediaSynthesizer")?.about).toMatch(/^The port that makes audio or video/)
    expect(port("MediaStorage")?.path).toBe("packages/core/src/commentary/MediaStorage.ts")
    for (const setting of ["Policy", "AfterCommit", "PublicAddress"]) expect(port(setting)).toBeUndefined()
  })

  it("each port has the suites that refer to it", () => {
    expect(port("MediaStorage")?.suites).toEqual(["packages/testkit/src/commentary/MediaStorageSuite.ts"])
    expect(port("AccessChanges")?.suites).toEqual([])
    const suites = [...files.keys()].filter((path) => /^packages\/testkit\/src\/[a-z]+\/\w+Suite\.ts$/.test(path))
    expect(ports.flatMap(({ suites }) => suites).toSorted()).toEqual(suites.toSorted())
  })

  it("a suite that refers to no port is an error", () => {
    const path = "packages/testkit/src/mail/MailerSuite.ts"
    expect(() => portsOf(without(path, (text) => text.replace("}: Mailer`", "}: mails`")))).toThrow(
      `${path} names no port`
    )
  })

  it("the ports are grouped by how an embedder provides them: alone, with the topics, with the partners, by the process", () => {
    const of = (unit: string) => ports.filter((one) => one.unit === unit).map(({ name }) => name)
    expect(of("alone")).toEqual([
      "CommentaryGenerator",
      "DashboardIdentity",
      "Mailer",
      "MediaStorage",
      "MediaSynthesizer",
      "OrganizationStore",
      "PersonaStore",
      "WebhookTransport"
    ])
    expect(of("partners")).toEqual(["OrganizationRegistry", "PersonaRegistry"])
    expect(of("process")).toEqual(["AccessChanges", "RateWindows", "WorkSignal"])
    expect(of("topics")).toContain("TopicStore")
  })
})
