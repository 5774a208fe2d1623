/**
 * Reads the ports from the sources of the core: their description, the suites that test them, and the tests that run the suites.
 */
import type { Files } from "../Repository.ts"

export interface Suite {
  readonly path: string
  readonly name: string
  /** The call of the suite. */
  readonly call: string
  readonly guarantees: ReadonlyArray<string>
  /** The tests and their shared helpers that run the suite. */
  readonly runs: ReadonlyArray<string>
}

/** The group of ports whose layers are made together. `alone`: the port has its own layer, or an embedder may replace it. */
export type Unit = "alone" | "topics" | "partners" | "process"

export interface Port {
  readonly path: string
  readonly name: string
  /** The first comment of its file. */
  readonly about: string
  /** Its methods with their comments. */
  readonly methods: string
  readonly unit: Unit
  readonly suites: ReadonlyArray<Suite>
}

/** A class that the core requires but does not implement: the core has no layer that builds it from other services. */
const declaration = /^export class (\w+) extends Context\.Service<\s*\w+,\s*(\{\n[\s\S]*?\n {2}\})\s*>\(\)/gm

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1).replace(/\.ts$/, "")

const aboutOf = (text: string) =>
  (/^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1] ?? "")
    .replace(/^\s*\*? ?/gm, "")
    .replace(/\s+/g, " ")
    .trim()

const methodsOf = (shape: string) =>
  shape
    .split("\n")
    .slice(1, -1)
    .map((line) => line.replace(/^ {4}/, "").replace(/^readonly /, ""))
    .join("\n")

/** A port with a default value. */
const reference = /(\/\*\*[^\n]*\*\/\n)?^export const (\w+) = Context\.Reference<([\s\S]+?)>\(\s*"/gm

const classesIn = (path: string, text: string) =>
  // A class that the core builds from other services is a use case.
  text.includes("Layer.effect(")
    ? []
    : [...text.matchAll(declaration)]
        // A class without effects, such as the public address, is a setting.
        .filter(([, , shape = ""]) => shape.includes("Effect"))
        .map(([, name = "", shape = ""]) => ({ path, name, methods: methodsOf(shape), text }))

const referencesIn = (path: string, text: string) =>
  [...text.matchAll(reference)]
    .filter(([, , name]) => nameOf(path) === name && aboutOf(text).startsWith("The port "))
    .map(([, comment = "", name = "", type = ""]) => {
      const named = [...text.matchAll(/(?:\/\*\*[^\n]*\*\/\n)?^export (?:interface|type) (\w+) [\s\S]*?\n(?=\n|$)/gm)]
        .filter(([all, part = ""]) => all.includes("Effect.") && new RegExp(`\\b${part}\\b`).test(type))
        .map(([all]) => all.replace(/^export /m, ""))
      return { path, name, methods: `${named.join("")}${comment}${name}: ${type}`, text }
    })

export const portsOf = (files: Files): ReadonlyArray<Port> => {
  const all = [...files]
  const found = all
    .filter(([path]) => path.startsWith("packages/core/src/"))
    .flatMap(([path, text]) => [...classesIn(path, text), ...referencesIn(path, text)])
  const names = found.map(({ name }) => name)
  const unitOf = unitsOf(files)
  const suites = all
    .filter(([path]) => /^packages\/testkit\/src\/[a-z]+\/\w+Suite\.ts$/.test(path))
    .map(([path, text]) => ({ port: portOf(path, text, names), suite: suiteOf(path, text, all) }))
  return found
    .map(({ methods, name, path, text }) => ({
      path,
      name,
      about: aboutOf(text),
      methods,
      unit: unitOf(name, aboutOf(text)),
      suites: suites.filter(({ port }) => port === name).map(({ suite }) => suite)
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** Reads the groups from the layers that make several ports at once. A replaceable port of partners and personas stands alone. */
const unitsOf = (files: Files): ((name: string, about: string) => Unit) => {
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
    return partners.includes(name) && !about.includes("An embedder may replace it") ? "partners" : "alone"
  }
}

/** The port that a suite's `describe` names after the `name` parameter. */
const portOf = (path: string, text: string, ports: ReadonlyArray<string>): string => {
  const named = /\bdescribe\(`\$\{name\}: (\w+)/.exec(text)?.[1] ?? ""
  if (ports.includes(named)) return named
  throw new Error(`${path} names no port: its describe begins with \`\${name}: \` and the port's name.`)
}

const suiteOf = (path: string, text: string, all: ReadonlyArray<readonly [string, string]>): Suite => {
  const name = nameOf(path)
  const parameters = /export const suite = (?:<[\s\S]*?>)?\(([\s\S]*?)\): void/.exec(text)?.[1] ?? ""
  const call = [...parameters.replace(/\([^()]*\)/g, "").matchAll(/(\w+)\??: /g)].map(([, parameter]) => parameter)
  return {
    path,
    name,
    call: `${name}.suite(${call.join(", ")})`,
    guarantees: [...text.matchAll(/\bit(?:\.\w+)?\(\s*(["`])(.+?)\1/g)].flatMap(([, , guarantee = ""]) =>
      expanded(guarantee, path, text)
    ),
    runs: all
      .filter(([at, test]) => /^(?!scripts\/).+\/test\//.test(at) && test.includes(`${name}.suite(`))
      .map(([at]) => at)
  }
}

/** Expands a name with a variable to one name for each entry of the table that the loop around the test uses. */
const expanded = (guarantee: string, path: string, text: string): ReadonlyArray<string> => {
  const variable = /\$\{(.*?)\}/.exec(guarantee)?.[1]
  if (variable === undefined) return [guarantee]
  const table = new RegExp(`for \\(const \\[${variable}, .*?\\] of Object\\.entries\\((\\w+)\\)`).exec(text)?.[1]
  const entries = new RegExp(`^const ${table}\\b[^\\n]*\\{\\n([\\s\\S]*?)\\n\\}`, "m").exec(text)?.[1] ?? ""
  const keys = [...entries.matchAll(/^ {2}(?:"(.+?)"|(\w+)): /gm)].map(([, quoted, bare]) => quoted ?? bare ?? "")
  const names = keys.flatMap((key) => expanded(guarantee.replace(`\${${variable}}`, key), path, text))
  if (names.length > 0) return names
  throw new Error(`${path}: what "${guarantee}" stands for cannot be read; let a loop go through a table of the file.`)
}
