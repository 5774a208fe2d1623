/** Reads the ports from the sources of the core, and the suites that test them. */
import { basename } from "node:path"
import type { RepositoryFiles } from "../Repository.ts"

/**
 * The group of ports whose layers are built together. `alone`: the port has a separate layer, or an embedder may
 * replace it.
 */
export type SourceUnit = "alone" | "topics" | "partners" | "process"

export interface Port {
  readonly path: string
  readonly name: string
  /** The first comment of the port's file. */
  readonly about: string
  readonly unit: SourceUnit
  /** The paths of its suites. */
  readonly suites: ReadonlyArray<string>
}

const classes = /^export class (\w+) extends Context\.Service<\s*\w+,\s*(\{\n[\s\S]*?\n {2}\})\s*>\(\)/gm

const references = /^export const (\w+) = Context\.Reference</gm

/** The core builds a use case from other services. A class without effects, such as the public address, is a setting. */
const classesIn = (text: string) =>
  text.includes("Layer.effect(") ? [] : [...text.matchAll(classes)].filter(([, , shape]) => shape?.includes("Effect"))

/** A port with a default value has the name of its file. */
const referencesIn = (path: string, text: string) =>
  aboutOf(text).startsWith("The port ")
    ? [...text.matchAll(references)].filter(([, name]) => basename(path, ".ts") === name)
    : []

const aboutOf = (text: string) =>
  (/^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? "")
    .replace(/^\s*\*? ?/gm, "")
    .replace(/\s+/g, " ")
    .trim()

export const portsOf = (files: RepositoryFiles): ReadonlyArray<Port> => {
  const found = [...files]
    .filter(([path]) => path.startsWith("packages/core/src/"))
    .flatMap(([path, text]) =>
      [...classesIn(text), ...referencesIn(path, text)].map(([, name = ""]) => ({ path, name, about: aboutOf(text) }))
    )
  const names = found.map(({ name }) => name)
  const unitOf = unitsOf(files)
  const suites = Map.groupBy(
    [...files].filter(([path]) => /^packages\/testkit\/src\/[a-z]+\/\w+Suite\.ts$/.test(path)),
    ([path, text]) => portOf(path, text, names)
  )
  return found
    .map((port) => ({
      ...port,
      unit: unitOf(port.name, port.about),
      suites: (suites.get(port.name) ?? []).map(([path]) => path)
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** Reads the groups from the layers that make several ports at once. A replaceable port of partners and personas stands alone. */
const unitsOf = (files: RepositoryFiles): ((name: string, about: string) => SourceUnit) => {
  const madeBy = (path: string, layer: string) => {
    const body =
      new RegExp(`^export const ${layer} = ([\\s\\S]*?)\\n(?=\\n|$)`, "m").exec(files.get(path) ?? "")?.[1] ?? ""
    const made = [...body.matchAll(/\b(\w+)\.layer/g)].map(([, name]) => name)
    if (made.length === 0) throw new Error(`${path} makes nothing as ${layer}: where a port belongs is read there.`)
    return made
  }
  const topics = madeBy("packages/sql/src/Stores.ts", "layerTopics")
  const partners = madeBy("packages/sql/src/Stores.ts", "layerPartners")
  const kept = madeBy("packages/core/src/Core.ts", "layerProcess")
  return (name, about) => {
    if (topics.includes(name)) return "topics"
    if (kept.includes(name)) return "process"
    return partners.includes(name) && !about.includes("An embedder may replace this port") ? "partners" : "alone"
  }
}

/** Matches the port that a suite's `describe` names after the `name` parameter. */
const portOf = (path: string, text: string, ports: ReadonlyArray<string>): string => {
  const named = /\bdescribe\(`\$\{name\}: (\w+)/.exec(text)?.[1] ?? ""
  if (ports.includes(named)) return named
  throw new Error(`${path} names no port: its describe begins with \`\${name}: \` and the port's name.`)
}
