/** Renders the page of all ports. */
import { basename } from "node:path"
import type { RepositoryFiles } from "../Repository.ts"
import { wrapText } from "../Wrap.ts"
import { type Port, portsOf, type SourceUnit } from "./Port.ts"

const withoutSuite = "none: the suites of related ports use it"

const entry = (files: RepositoryFiles, { about, name, path, suites }: Port) => {
  const example = `examples/own-${name.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}.ts`
  const named = (text: string, at: string) => `[${text}](../../${at})`
  const proofs = suites.map((suite) => named(basename(suite, ".ts"), suite))
  return [
    ...wrapText(`- **${named(name, path)}.** ${about}`, "  "),
    ...(proofs.length === 0 ? [withoutSuite] : proofs).map((proof) => `  - Suite: ${proof}`),
    ...(files.has(example) ? [`  - Example: ${named(example, example)}`] : [])
  ]
}

const groups: ReadonlyArray<readonly [SourceUnit, string, string]> = [
  ["alone", "Replaceable alone", "Provide your own layer for any of these."],
  [
    "topics",
    "Replaceable as one unit",
    "These share transactions on one `SqlClient` (`Stores.layerTopics` of packages/sql)."
  ],
  [
    "partners",
    "Registries of partners and personas",
    "Writes for the included stores (`Stores.layerPartners`). With your own stores they have no visible effect."
  ],
  ["process", "State of a process", "Kept in one process (`Core.layerProcess`) or shared by the Postgres adapter."]
]

export const renderPortsPage = (files: RepositoryFiles): string => {
  const ports = portsOf(files)
  return [
    "# Ports",
    "",
    "Generated from `packages/core/src` and `packages/testkit/src` by `npm run describe`; edit those",
    "instead.",
    "",
    "A port is a service that the core requires and an adapter implements. The file of a port promises",
    "what each method does. The tests of its suite check these promises. To prove your own adapter, run",
    "the suite in a test:",
    "",
    "```ts",
    'import * as MailerSuite from "@partner-commentary/testkit/MailerSuite"',
    "",
    'MailerSuite.suite("ours", OurMailer.layer, arrived)',
    "```",
    "",
    "The suite builds a new `layer` for each test, with a clock that stands still.",
    "",
    ...groups.flatMap(([unit, title, text]) => [
      `## ${title}`,
      "",
      ...wrapText(text),
      "",
      ...ports.filter((port) => port.unit === unit).flatMap((port) => entry(files, port)),
      ""
    ])
  ].join("\n")
}
