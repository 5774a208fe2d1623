/** docs/reference/ports.md matches the sources: no port is missing, in a guessed group, or shortened. */
import { describe, expect, it } from "vitest"
import { portsOf } from "../ports/Port.ts"
import { readFiles } from "../Repository.ts"

const files = readFiles()
const ports = portsOf(files)
const port = (name: string) => ports.find((one) => one.name === name)
const without = (path: string, change: (text: string) => string) =>
  new Map([...files, [path, change(files.get(path) ?? "")]])

describe("the ports", () => {
  it("the ports hold those that have a value where nobody provides one, with all that they promise", () => {
    expect(port("MediaSynthesizer")?.methods).toContain("The adapter limits time (60 seconds at most)")
    expect(port("MediaSynthesizer")?.methods).toContain(
      "MediaSynthesizer: Readonly<Record<MediaKind, Synthesize | null>>"
    )
    expect(port("MediaStorage")?.methods).toContain("put: (name: string, medium: Medium)")
    for (const setting of ["Policy", "AfterCommit", "PublicAddress"]) expect(port(setting)).toBeUndefined()
  })

  it("the ports have the suites that name them, each with the parameters of its own", () => {
    const calls = (name: string) => port(name)?.suites.map(({ call }) => call)
    expect(calls("MediaSynthesizer")).toEqual(["MediaSynthesizerSuite.suite(name, kind, layer)"])
    expect(calls("MediaStorage")).toEqual(["MediaStorageSuite.suite(name, layer, fetched)"])
    expect(calls("CommentaryGenerator")).toHaveLength(1)
    expect(calls("AccessChanges")).toEqual([])
    const suites = [...files.keys()].filter((path) => /^packages\/testkit\/src\/[a-z]+\/\w+Suite\.ts$/.test(path))
    expect(ports.flatMap(({ suites }) => suites.map(({ path }) => path)).toSorted()).toEqual(suites.toSorted())
  })

  it("the ports refuse a suite that names no port", () => {
    const path = "packages/testkit/src/mail/MailerSuite.ts"
    expect(() => portsOf(without(path, (text) => text.replace("}: Mailer`", "}: mails`")))).toThrow(
      `${path} names no port`
    )
  })

  it("the ports have guarantees in full, one for each entry of the table that a test goes through", () => {
    const guarantees = ports.flatMap(({ suites }) => suites.flatMap((suite) => suite.guarantees))
    expect(guarantees.filter((guarantee) => guarantee.includes("${"))).toEqual([])
    expect(guarantees).toContain("one letter: a non-empty file of its kind, in a supported format")
    expect(guarantees).toContain("a file of one byte is fetched with every byte and its content type")
  })

  it("the ports refuse a guarantee whose name is not told by the file", () => {
    const path = "packages/testkit/src/commentary/MediaStorageSuite.ts"
    const planted = without(path, (text) => text.replaceAll("Object.entries(media)", "others"))
    expect(() => portsOf(planted)).toThrow(/MediaStorageSuite\.ts: what ".+" stands for cannot be read/)
  })

  it("the ports are told by whom they are made with: alone, with the topics, with the partners, by the process", () => {
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
