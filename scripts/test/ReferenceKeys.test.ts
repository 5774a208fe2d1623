/** Two references with the same key would share a value, so that one of them would be wrong without an error. */
import { expect, test } from "vitest"
import { readFiles } from "../Repository.ts"

test("every key of a reference is used once", () => {
  const keys = [...readFiles()]
    .filter(([path]) => /^(packages|adapters|hosts)\/.*\/?src\/.*\.ts$/.test(path))
    .flatMap(([, text]) => [...text.matchAll(/"@partner-commentary\/reference\/(\w+)"/g)].map(([, name]) => name))
  expect(keys.length).toBeGreaterThan(20)
  expect(keys.toSorted()).toEqual([...new Set(keys)].toSorted())
})
