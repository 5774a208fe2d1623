/**
 * Two Effect references with the same key would share a value, so one of the references would silently have a wrong
 * value.
 */
import { expect, test } from "vitest"
import { readRepositoryFiles } from "../Repository.ts"

test("no two Effect references have the same key", () => {
  const keys = [...readRepositoryFiles()]
    .filter(([path]) => /^(packages|adapters|hosts)\/.*\/?src\/.*\.ts$/.test(path))
    .flatMap(([, text]) => [...text.matchAll(/"@partner-commentary\/reference\/(\w+)"/g)].map(([, name]) => name))
  expect(keys.length).toBeGreaterThan(20)
  expect(keys.toSorted()).toEqual([...new Set(keys)].toSorted())
})
