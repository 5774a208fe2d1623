/** Generates input as hostile and careless callers send it: junk values, invalid bodies, unusual paths and headers. */
import { gzipSync } from "node:zlib"
import * as fc from "fast-check"
import type { UntypedJson } from "./Description.ts"

/** Generates junk that can replace any value. */
export const arbitraryJunkValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, "", " ", 0, -1, 1e308, 2 ** 53, true, [], {}, [[]], "null", "\u0000", "../..", "%00"),
  fc.constantFrom("x".repeat(5000), "😀".repeat(501), "-".repeat(257), "a\u0301".repeat(300), "\ufeff", "\u202e"),
  fc.constantFrom("__proto__", "constructor", "${1+1}", "' OR 1=1 --", "<script>", "\r\nX: y", "1e400", "NaN", "-0"),
  fc.string({ unit: "binary", maxLength: 60 }).map((value) => value.toWellFormed()),
  fc.jsonValue({ maxDepth: 3 })
)

/** Generates copies of the value with one change: a part is replaced by junk or removed, or a new part is added. */
export const arbitraryCorruptedValues = (value: unknown): fc.Arbitrary<unknown> => {
  const places = placesIn(value)
  if (places.length === 0) return arbitraryJunkValues
  return fc
    .tuple(fc.constantFrom(...places), arbitraryJunkValues, fc.constantFrom("replace", "remove", "add"))
    .map(([path, bad, how]) => {
      const copy = structuredClone(value)
      const parent = path.slice(0, -1).reduce((at: UntypedJson, key) => at[key], copy as UntypedJson)
      const last = path.at(-1) as string
      if (how === "replace") parent[last] = bad
      else if (how === "add" && !Array.isArray(parent)) parent[`${last}_`] = bad
      else if (Array.isArray(parent)) parent.splice(Number(last), 1)
      else delete parent[last]
      return copy
    })
}

const placesIn = (value: unknown, at: ReadonlyArray<string> = []): Array<ReadonlyArray<string>> =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...placesIn(inner, [...at, key])])

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)

const texts = fc.constantFrom(
  "",
  " ",
  "{",
  "null",
  "[]",
  '"text"',
  "{}",
  "0",
  '{"content":"twice and again","content":"twice and again"}',
  "\ufeff{}",
  '{"a":1e999}',
  '{"a":123456789012345678901234567890}',
  '{"a":"\\ud800"}',
  '{"__proto__":{"content":1}}',
  '{"a":01}',
  "{'a':1}",
  '{"a":1,}',
  "NaN",
  "[".repeat(100_000),
  nested("[", "]", 40),
  `{"metadata":${nested('{"a":', "}", 40).replace("}", "1}")}}`,
  `{"content":"${"x".repeat(300_000)}"}`,
  `{${Array.from({ length: 2000 }, (_, index) => `"k${index}":${index}`).join(",")}}`
)

/**
 * Generates raw bodies: text that is invalid JSON or an unexpected value, and bytes in a wrong encoding.
 */
export const arbitraryHostileBodies: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 4, arbitrary: texts.map((text) => new TextEncoder().encode(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
  { weight: 1, arbitrary: fc.constant(Uint8Array.from(Buffer.from("\ufeff{}", "utf16le"))) },
  { weight: 1, arbitrary: fc.constant(Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])) },
  { weight: 1, arbitrary: fc.constant(Uint8Array.from(gzipSync("{}"))) }
)

/**
 * Generates raw path segments: escaped, partly escaped or unescaped. Non-ASCII characters are always escaped, because
 * HTTP parsers reject them.
 */
export const arbitraryPathSegments: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("%2F", "%2f..%2f", ".", "..", "%2E%2E", "%", "%zz", "%00", "%ff", "%C3%28", "%ED%A0%80", ";", ";a=1"),
  fc.constantFrom("a%20b", "%C3%A9", "%F0%9F%98%80", "a+b", "*", "null", "undefined", "by-reference", "bulk"),
  fc.constantFrom("x".repeat(257), "%41".repeat(256), "%E6%BC%A2".repeat(200), "0".repeat(2000), "a:b", "@", "~", "|"),
  fc.string({ unit: "binary", minLength: 1, maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed()))
)

/** Generates parameters that are appended to a query. */
export const arbitraryExtraQueryParts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom("", "&", "=", "a", "=b", "%", "%zz=1", "a[]=1", "__proto__=1", "+", "a=b=c", "?", "%00=%00"),
  fc
    .tuple(fc.string({ maxLength: 8 }), fc.string({ unit: "binary", maxLength: 12 }))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value.toWellFormed())}`)
)

/**
 * Generates media types for a JSON body. `right` says whether the OpenAPI document allows the type, and is undefined if
 * the document does not say.
 */
export const arbitraryMediaTypes: fc.Arbitrary<{
  readonly type: string | undefined
  readonly right: boolean | undefined
}> = fc.oneof(
  { weight: 30, arbitrary: fc.constant({ type: "application/json", right: true }) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom("application/json; charset=utf-8", "application/json;charset=UTF-8", "Application/JSON")
      .map((type) => ({ type, right: true }))
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(undefined, "text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded")
      .map((type) => ({ type, right: false }))
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        "garbage",
        "application/json; charset=latin1",
        "application/json;",
        "application/jsonp",
        "\u00e9",
        ";"
      )
      .map((type) => ({ type, right: undefined }))
  }
)

/** Generates text that is valid in a header: bytes of ISO 8859-1 without control characters. */
export const arbitraryHeaderTexts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    ",",
    "a b",
    "a,b",
    "\u00e9\u00ff",
    "\t",
    "x".repeat(129),
    "x".repeat(256),
    "=?utf-8?B?w6k=?="
  ),
  fc.string({
    unit: fc.integer({ min: 32, max: 255 }).map((code) => (code === 127 ? " " : String.fromCharCode(code))),
    maxLength: 60
  })
)

/** Generates headers that the OpenAPI document does not contain. */
export const arbitraryUnknownHeaders: fc.Arbitrary<ReadonlyArray<readonly [string, string]>> = fc.oneof(
  { weight: 20, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      [["content-encoding", "gzip"]] as const,
      [["content-encoding", "identity"]] as const,
      [["accept", "text/html"]] as const,
      [["accept-encoding", "br;q=1.0, *;q=0"]] as const,
      [["x-forwarded-for", "203.0.113.9, garbage"]] as const,
      [["x-http-method-override", "DELETE"]] as const,
      [["range", "bytes=0-1"]] as const,
      [["if-none-match", "*"]] as const,
      [["cookie", "a=b; c"]] as const,
      [["origin", "https://other.example"]] as const
    )
  }
)
