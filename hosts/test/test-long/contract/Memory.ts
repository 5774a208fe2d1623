/**
 * What earlier answers held, so that later requests may ask for it. Every successful answer is a sighting: names and their
 * values, and who saw them. An `id` is remembered under what it is the id of: that of `persona` is a `persona_id`.
 */
import type { Caller } from "./Callers.ts"
import type { Operation, Parameter } from "./Description.ts"

export interface Sighting {
  /** The newest has the highest. */
  readonly order: number
  readonly caller: Caller
  readonly values: ReadonlyMap<string, ReadonlyArray<string>>
}

export interface Memory {
  readonly see: (operation: Operation, caller: Caller, answer: unknown) => void
  /** Whatever holds the value: it is gone. */
  readonly forget: (value: string) => void
  /** Those that hold a value under one name of each list, the newest last. */
  readonly with: (names: ReadonlyArray<ReadonlyArray<string>>) => ReadonlyArray<Sighting>
}

/** So many are kept of each operation. */
const kept = 60

export const make = (): Memory => {
  const sightings = new Map<string, Array<Sighting>>()
  let order = 0
  return {
    see: (operation, caller, answer) => {
      const values = new Map<string, Array<string>>()
      collect(values, answer, singular(lastPart(operation.path)), "")
      if (values.size === 0) return
      const known = sightings.get(operation.name) ?? []
      sightings.set(operation.name, known)
      known.push({ order: order++, caller, values })
      if (known.length > kept) known.shift()
    },
    forget: (value) => {
      for (const [name, known] of sightings) {
        sightings.set(
          name,
          known.filter(({ values }) => ![...values.values()].some((all) => all.length === 1 && all[0] === value))
        )
      }
    },
    with: (names) =>
      [...sightings.values()]
        .flat()
        .filter(({ values }) => names.every((some) => some.some((name) => values.has(name))))
        .toSorted((one, other) => one.order - other.order)
  }
}

const collect = (into: Map<string, Array<string>>, value: unknown, owner: string, name: string) => {
  if (typeof value === "string") {
    if (value.length === 0 || value.length > 300) return
    const label = name === "id" ? `${owner}_id` : singular(name)
    const known = into.get(label) ?? []
    into.set(label, known)
    if (known.length < 20) known.push(value)
  } else if (Array.isArray(value)) for (const item of value) collect(into, item, owner, name)
  else if (typeof value === "object" && value !== null) {
    const inner = name === "" || name === "data" ? owner : singular(name)
    for (const [key, one] of Object.entries(value)) collect(into, one, inner, key)
  }
}

/**
 * The name under which a parameter's values are remembered: an `id` is that of what stands before it in the path, and
 * words of its description that name a field count for as much as its own name.
 */
export const labelsOf = (operation: Operation, { description, name }: Parameter): ReadonlyArray<string> => {
  if (name === "id") return [`${singular(before(operation.path, name))}_id`]
  const words = [...(description ?? "").matchAll(/`([\w.]+)`/g)].map(([, word = ""]) => word.split(".").at(-1) ?? "")
  return [name, ...words]
}

const before = (path: string, name: string): string => lastPart(path.slice(0, path.indexOf(`{${name}}`)))

/** The last one that is no parameter. */
const lastPart = (path: string): string =>
  path
    .split("/")
    .filter((part) => part !== "" && !part.startsWith("{"))
    .findLast((part) => part.endsWith("s") && part !== "status") ?? ""

export const singular = (name: string): string =>
  name.endsWith("ies") ? `${name.slice(0, -3)}y` : name.replace(/(?<=[^s])s$/, "")
