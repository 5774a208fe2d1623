/** Renders the page of all ports, and the details of one port: its methods, its guarantees and its suites. */
import type { Files } from "../Repository.ts"
import { wrap } from "../Wrap.ts"
import { type Port, portsOf, type Suite, type Unit } from "./Port.ts"

const link = (path: string) => `[${path}](../../${path})`

const suiteLines = ({ call, guarantees, path, runs }: Suite) => [
  `\`${call}\` of ${link(path)}${runs.length === 0 ? "" : `, run by ${runs.map(link).join(", ")}`}:`,
  "",
  ...guarantees.map((guarantee) => `- ${guarantee}`),
  ""
]

const withoutSuite = "none: the suites of related ports use it"

/** Everything that is needed to implement a port. `node scripts/ports.ts NAME` prints it, and no committed file contains it. */
export const portDetails = ({ about, methods, name, path, suites }: Port): string =>
  [
    `## ${name}`,
    "",
    `${about} ${link(path)}`,
    "",
    "```ts",
    methods,
    "```",
    "",
    ...suites.flatMap(suiteLines),
    ...(suites.length === 0 ? [`Suite: ${withoutSuite}.`, ""] : [])
  ].join("\n")

const entry = (files: Files, { about, name, path, suites }: Port) => {
  const example = `examples/own-${name.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}.ts`
  const named = (text: string, at: string) => `[${text}](../../${at})`
  const proofs = suites.map((suite) => named(suite.path.replace(/^.*\/|\.ts$/g, ""), suite.path))
  return [
    ...wrap(`- **${named(name, path)}.** ${about}`, "  "),
    ...(proofs.length === 0 ? [withoutSuite] : proofs).map((proof) => `  - Suite: ${proof}`),
    ...(files.has(example) ? [`  - Example: ${named(example, example)}`] : [])
  ]
}

const groups: ReadonlyArray<readonly [Unit, string, string]> = [
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

export const portsPage = (files: Files): string => {
  const ports = portsOf(files)
  return [
    "# Ports",
    "",
    "Generated from `packages/core/src` and `packages/testkit/src` by `npm run describe`; edit those",
    "instead.",
    "",
    "A port is a service that the core requires and an adapter implements. To see the methods of a port",
    "and the guarantees that its suite tests, run `node scripts/ports.ts NAME`. To prove your own adapter,",
    "run the suite in a test:",
    "",
    "```ts",
    'import * as MailerSuite from "@partner-commentary/testkit/MailerSuite"',
    "",
    'MailerSuite.suite("ours", OurMailer.layer, arrived)',
    "```",
    "",
    "The suite builds `layer` anew for each test, with a clock that stands still.",
    "",
    ...groups.flatMap(([unit, title, text]) => [
      `## ${title}`,
      "",
      ...wrap(text),
      "",
      ...ports.filter((port) => port.unit === unit).flatMap((port) => entry(files, port)),
      ""
    ])
  ].join("\n")
}
