/**
 * Stores values of earlier responses for later requests. A recording (`RecordedResponseValues`) has the caller, the
 * field names and the values of one successful response. The name of an `id` includes its resource: the `id` of a
 * `persona` is stored as `persona_id`.
 */
import type { FuzzedCaller } from "./Callers.ts"
import type { OpenApiOperation, OpenApiParameter } from "./Description.ts"

export interface RecordedResponseValues {
  /** The sequence number of the recorded response. The newest recorded response has the highest number. */
  readonly order: number
  readonly caller: FuzzedCaller
  readonly values: ReadonlyMap<string, ReadonlyArray<string>>
}

export interface ResponseValueStore {
  readonly record: (operation: OpenApiOperation, caller: FuzzedCaller, answer: unknown) => void
  /** Removes each recorded response in which `value`, the id of a deleted resource, is the only value of a field. */
  readonly removeValue: (value: string) => void
  /**
   * Each inner list contains alternative names for one required value. Returns the recorded responses that have all
   * required values, newest last.
   */
  readonly findWithNames: (names: ReadonlyArray<ReadonlyArray<string>>) => ReadonlyArray<RecordedResponseValues>
}

/** The maximum number of recorded responses per operation. */
const maxRecordingsPerOperation = 60

export const makeResponseValueStore = (): ResponseValueStore => {
  const recordings = new Map<string, Array<RecordedResponseValues>>()
  let order = 0
  return {
    record: (operation, caller, answer) => {
      const values = new Map<string, Array<string>>()
      collect(values, answer, toSingular(lastPart(operation.path)), "")
      if (values.size === 0) return
      const known = recordings.get(operation.name) ?? []
      recordings.set(operation.name, known)
      known.push({ order: order++, caller, values })
      if (known.length > maxRecordingsPerOperation) known.shift()
    },
    removeValue: (value) => {
      for (const [name, known] of recordings) {
        recordings.set(
          name,
          known.filter(({ values }) => ![...values.values()].some((all) => all.length === 1 && all[0] === value))
        )
      }
    },
    findWithNames: (names) =>
      [...recordings.values()]
        .flat()
        .filter(({ values }) => names.every((some) => some.some((name) => values.has(name))))
        .toSorted((one, other) => one.order - other.order)
  }
}

const collect = (into: Map<string, Array<string>>, value: unknown, owner: string, name: string) => {
  if (typeof value === "string") {
    if (value.length === 0 || value.length > 300) return
    const label = name === "id" ? `${owner}_id` : toSingular(name)
    const known = into.get(label) ?? []
    into.set(label, known)
    if (known.length < 20) known.push(value)
  } else if (Array.isArray(value)) for (const item of value) collect(into, item, owner, name)
  else if (typeof value === "object" && value !== null) {
    const inner = name === "" || name === "data" ? owner : toSingular(name)
    for (const [key, one] of Object.entries(value)) collect(into, one, inner, key)
  }
}

/**
 * Returns the names under which a parameter's values are stored: the parameter's own name, and the field names that the
 * parameter's description contains. The name of the path parameter `id` gets the resource in the path as a prefix, as
 * in `persona_id`.
 */
export const listValueNames = (
  operation: OpenApiOperation,
  { description, name }: OpenApiParameter
): ReadonlyArray<string> => {
  if (name === "id") return [`${toSingular(before(operation.path, name))}_id`]
  const words = [...(description ?? "").matchAll(/`([\w.]+)`/g)].map(([, word = ""]) => word.split(".").at(-1) ?? "")
  return [name, ...words]
}

const before = (path: string, name: string): string => lastPart(path.slice(0, path.indexOf(`{${name}}`)))

/** Returns the resource's name in a path: the last plural segment that is not a parameter. */
const lastPart = (path: string): string =>
  path
    .split("/")
    .filter((part) => part !== "" && !part.startsWith("{"))
    .findLast((part) => part.endsWith("s") && part !== "status") ?? ""

export const toSingular = (name: string): string =>
  name.endsWith("ies") ? `${name.slice(0, -3)}y` : name.replace(/(?<=[^s])s$/, "")
