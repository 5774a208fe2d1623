/** Every way to write an import is seen, and nothing else is taken for one. */
import { describe, expect, it } from "vitest"
import { imports, packageOf } from "../Imports.ts"

const seen = (text: string) =>
  imports(text).map(({ specifier, typeOnly }) => `${typeOnly ? "type " : ""}${specifier ?? "computed"}`)

describe("imports", () => {
  it.each([
    ['import "a"', ["a"]],
    ['import a from "a"', ["a"]],
    ['import type A from "a"', ["type a"]],
    ['import type from "a"', ["a"]],
    ['import type, { b } from "a"', ["a"]],
    ['import * as a from "a"', ["a"]],
    ['import a, * as b from "a"', ["a"]],
    ['import{a}from"a"', ["a"]],
    ["import { a } from 'a'", ["a"]],
    ['import {\n  a, // from "b"\n  type B\n} from "a"', ["a"]],
    ['import type {\n  A\n} from "a"', ["type a"]],
    ['import a from "a.json" with { type: "json" }', ["a.json"]],
    ['export * from "a"', ["a"]],
    ['export * as b from "a"', ["a"]],
    ['export type { A } from "a"', ["type a"]],
    ['export const from = 1\nimport { b } from "b"', ["b"]],
    ['export { a }\nimport type { B } from "b"', ["type b"]],
    ['const a = await import("a")', ["a"]],
    ["const a = import(\n  `a`\n)", ["a"]],
    ["const a = import(`a/$" + "{b}`)", ["computed"]],
    ["const a = import(b)", ["computed"]],
    ['const a = require("a"); const b = import.meta.resolve("b")', ["a", "b"]],
    ['type A = import("a").A', ["a"]],
    ["const a = `$" + '{await import("a")} import "b"`', ["a"]],
    ['const a = /"/; import "a"', ["a"]],
    ['const a = b / c; import "a"; const d = 1 / 2', ["a"]],
    ['// import "a"\n/* import "b" */\n/** {@link import("c")} */', []],
    ["const a = 'import \"a\"'", []],
    ["a.import('b'); a.require('c')", []]
  ])("%s", (text, expected) => {
    expect(seen(text)).toEqual(expected)
  })

  it("counts lines from one", () => {
    expect(imports('\nimport {\n  a\n} from "a"\nimport "b"\n').map(({ line }) => line)).toEqual([2, 5])
  })

  it("tells a package from a path in it", () => {
    expect(["effect", "effect/sql/SqlClient", "@effect/vitest", "@effect/vitest/utils"].map(packageOf)).toEqual([
      "effect",
      "effect",
      "@effect/vitest",
      "@effect/vitest"
    ])
  })
})
