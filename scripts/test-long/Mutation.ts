/**
 * Plants one small fault at a time into core, sql and server, runs the tests that execute the changed code, and prints
 * the faults that no test notices. The command is `node scripts/test-long/Mutation.ts [COUNT] [SEED] [FROM] [TO]`. The
 * script edits source files of its checkout and restores each file, so run the script in a separate work tree. FROM and
 * TO limit the run to a range of the faults.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readRepositoryFiles, repositoryRoot } from "../Repository.ts"
import { generateMutants, pickRandomElements } from "./mutation/Mutants.ts"
import { findCoveringTests, recordTestRuns, runTests } from "./mutation/RelatedTests.ts"

const [count = 200, seed = 1, from = 0, to = count] = process.argv.slice(2).map(Number)

const all = [...readRepositoryFiles()]
  .filter(([path]) => /^packages\/(core|sql|server)\/src\/.*\.ts$/.test(path) && !path.includes("/migrations/"))
  .flatMap(([path, text]) => generateMutants(path, text))
const mutants = pickRandomElements(all, count, seed)
const runs = recordTestRuns(mutants)

const say = (line: string) => process.stdout.write(`${line}\n`)
const figures = { planted: 0, noticed: 0, survived: 0, "timed out": 0, "not executed": 0 }
const names = { failed: "noticed", passed: "survived", "timed out": "timed out" } as const

for (const mutant of mutants.slice(from, to)) {
  const { found, offset, path, replacement } = mutant
  const place = join(repositoryRoot, path)
  const text = readFileSync(place, "utf8")
  const tests = findCoveringTests(mutant, runs)
  try {
    writeFileSync(place, text.slice(0, offset) + replacement + text.slice(offset + found.length))
    const outcome = tests.length === 0 ? "not executed" : names[runTests(tests)]
    figures[outcome]++
    const line = text.slice(0, offset).split("\n").length
    if (outcome !== "noticed") say(`${outcome}: ${path}:${line} "${found.trim()}" became "${replacement.trim()}"`)
  } finally {
    writeFileSync(place, text)
  }
  figures.planted++
  if (figures.planted % 10 === 0) say(JSON.stringify(figures))
}
