/** The ports of the core, read from its sources: what each says of itself, which suites prove it, and who runs them. */
import type { Files } from "../Repository.ts"

export interface Suite {
  readonly path: string
  readonly name: string
  /** How it is called. */
  readonly call: string
  readonly guarantees: ReadonlyArray<string>
  /** The tests that run it. */
  readonly runs: ReadonlyArray<string>
}

export interface Port {
  readonly path: string
  readonly name: string
  /** The first comment of its file. */
  readonly about: string
  /** Its methods, with what each promises. */
  readonly methods: string
  readonly suites: ReadonlyArray<Suite>
}

/** A class that the core asks for and does not make: no layer of it is built there from other services. */
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

export const portsOf = (files: Files): ReadonlyArray<Port> => {
  const all = [...files]
  const found = all
    .filter(([path, text]) => path.startsWith("packages/core/src/") && !text.includes("Layer.effect("))
    .flatMap(([path, text]) =>
      [...text.matchAll(declaration)].map(([, name = "", shape = ""]) => ({ path, name, shape, text }))
    )
    // What is only known, such as the public address, is a setting.
    .filter(({ shape }) => shape.includes("Effect"))
  const names = found.map(({ name }) => name)
  const suites = all
    .filter(([path]) => /^packages\/testkit\/src\/\w+Suite\.ts$/.test(path))
    .map(([path, text]) => ({ port: portOf(nameOf(path), text, names), suite: suiteOf(path, text, all) }))
  return found
    .map(({ name, path, shape, text }) => ({
      path,
      name,
      about: aboutOf(text),
      methods: methodsOf(shape),
      suites: suites.filter(({ port }) => port === name).map(({ suite }) => suite)
    }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

/** The port that a suite is named after, else the one that it asks for most. */
const portOf = (suite: string, text: string, ports: ReadonlyArray<string>): string | undefined => {
  const asked = (port: string) => text.match(new RegExp(`\\b${port}\\b`, "g"))?.length ?? 0
  return ports.find((port) => suite === `${port}Suite`) ?? [...ports].sort((one, other) => asked(other) - asked(one))[0]
}

const suiteOf = (path: string, text: string, all: ReadonlyArray<readonly [string, string]>): Suite => {
  const name = nameOf(path)
  const parameters = /export const suite = (?:<[\s\S]*?>)?\(([\s\S]*?)\): void/.exec(text)?.[1] ?? ""
  const call = [...parameters.matchAll(/(\w+)\??: /g)].map(([, parameter]) => parameter)
  return {
    path,
    name,
    call: `${name}.suite(${call.join(", ")})`,
    guarantees: [...text.matchAll(/\bit(?:\.\w+)?\(\s*(["`])(.+?)\1/g)].map(([, , guarantee = ""]) =>
      guarantee.replace(/\$\{\w+\}(: )?/g, "")
    ),
    runs: all.filter(([at, test]) => at.endsWith(".test.ts") && test.includes(`${name}.suite(`)).map(([at]) => at)
  }
}
