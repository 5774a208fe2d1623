/** Defines the types that the specification's tables name, and checks the fields of a response against these types. */
import { assert } from "@effect/vitest"

type Check = (value: unknown) => boolean

const text: Check = (value) => typeof value === "string"
const or =
  (...checks: ReadonlyArray<Check>): Check =>
  (value) =>
    checks.some((check) => check(value))
const nothing: Check = (value) => value === null
const matching =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === "string" && pattern.test(value)
const timestamp = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
const object: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value)
const url: Check = (value) => typeof value === "string" && /^https?:/.test(value) && URL.canParse(value)

const types = {
  string: text,
  "string (UUID)": matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  timestamp,
  "timestamp or null": or(timestamp, nothing),
  integer: Number.isSafeInteger as Check,
  boolean: (value) => typeof value === "boolean",
  object,
  "object or null": or(object, nothing),
  array: Array.isArray,
  "array of strings": (value) => Array.isArray(value) && value.every(text),
  URL: url,
  "HTTPS URL": (value) => url(value) && String(value).startsWith("https:"),
  "string or null": or(text, nothing),
  "object of platform-name to URL": (value) => object(value) && Object.values(value as object).every(url)
} as const satisfies Record<string, Check>

export type FieldType = keyof typeof types

/**
 * Returns the values at a path such as `personas[].status`. A path through an array returns the value of each element.
 */
export const findValuesAtPath = (root: unknown, path: string): ReadonlyArray<unknown> =>
  path
    .split(/\.|(?=\[\])/)
    .filter((segment) => segment !== "")
    .reduce<ReadonlyArray<unknown>>(
      (values, segment) =>
        segment === "[]"
          ? values.flatMap((value) => (Array.isArray(value) ? value : assert.fail(`${path}: no array`)))
          : values.map((value) =>
              typeof value === "object" && value !== null && segment in value
                ? (value as Record<string, unknown>)[segment]
                : assert.fail(`${path}: ${segment} is missing`)
            ),
      [root]
    )

/**
 * Checks that at least one value exists at `path`, and that every value there has the type `type`. If `literals` are
 * given, only these values are allowed.
 */
export const checkField = (root: unknown, path: string, type: FieldType, literals?: ReadonlyArray<string>): void => {
  const found = findValuesAtPath(root, path)
  assert.isAbove(found.length, 0, `${path}: nothing to look at`)
  for (const value of found) {
    assert.isTrue(types[type](value), `${path}: ${JSON.stringify(value)} is no ${type}`)
    if (literals !== undefined) assert.include(literals, value as string, path)
  }
}
