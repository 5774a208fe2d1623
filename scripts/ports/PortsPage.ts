/** docs/ports.md: every port, what it must guarantee, and the suite that proves it. */
import type { Files } from "../Repository.ts"
import { type Port, portsOf, type Suite, type Unit } from "./Port.ts"

const link = (path: string) => `[${path}](../${path})`

const suiteLines = ({ call, guarantees, path, runs }: Suite) => [
  `\`${call}\` of ${link(path)}${runs.length === 0 ? "" : `, run by ${runs.map(link).join(", ")}`}:`,
  "",
  ...guarantees.map((guarantee) => `- ${guarantee}`),
  ""
]

const section = (files: Files, { about, methods, name, path, suites }: Port) => {
  const example = `examples/own-${name.replace(/(?!^)[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}.ts`
  return [
    `## ${name}`,
    "",
    `${about} ${link(path)}`,
    "",
    "```ts",
    methods,
    "```",
    "",
    ...suites.flatMap(suiteLines),
    ...(suites.length === 0 ? ["No suite of its own: those of the ports beside it use it.", ""] : []),
    ...(files.has(example) ? [`An example of one's own: ${link(example)}.`, ""] : [])
  ]
}

export const portsPage = (files: Files): string => {
  const ports = portsOf(files)
  const of = (unit: Unit) => ports.filter((port) => port.unit === unit)
  const index = (unit: Unit) =>
    of(unit)
      .map(({ name }) => `[${name}](#${name.toLowerCase()})`)
      .join(", ")
  return `${[
    "# Ports",
    "",
    "Generated from `packages/core/src` and `packages/testkit/src` by `npm run describe`; edit those instead.",
    "",
    "A port is a service that the core asks for and does not make. Provide your own layer for its class or reference, and run its suite in a test of yours:",
    "",
    "```ts",
    'import * as MailerSuite from "@partner-commentary/testkit/MailerSuite"',
    "",
    'MailerSuite.suite("ours", OurMailer.layer, arrived)',
    "```",
    "",
    "Every guarantee is a test of its name. `layer` is built anew for each of them, at a moment that stands still.",
    "",
    `Each by itself: ${index("alone")}.`,
    "",
    `As one unit, for they share transactions (\`Stores.layerTopics\` of packages/sql): ${index("topics")}.`,
    "",
    `Partners and personas where this service keeps them itself (\`Stores.layerPartners\`), written where nobody reads once their stores are yours: ${index("partners")}.`,
    "",
    `Kept by a process, or shared by several (\`Core.layerProcess\`, or the adapter's of Postgres): ${index("process")}.`,
    "",
    ...(["alone", "topics", "partners", "process"] as const).flatMap(of).flatMap((port) => section(files, port))
  ]
    .join("\n")
    .trimEnd()}\n`
}
