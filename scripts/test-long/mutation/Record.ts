/**
 * Records which code each test executes, by V8's block coverage. This file is a setup file of vitest. `sites.json` in
 * `MUTATION_FOLDER` lists offsets by path. One line for each test is appended to `coverage.jsonl`.
 */
import { appendFileSync, readFileSync } from "node:fs"
import { type Profiler, Session } from "node:inspector"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach } from "vitest"
import { repositoryRoot } from "../../Repository.ts"
import type { RecordedTest } from "./RelatedTests.ts"

const folder = process.env["MUTATION_FOLDER"] ?? ""
const sites = JSON.parse(readFileSync(join(folder, "sites.json"), "utf8")) as Record<string, ReadonlyArray<number>>

const session = new Session()
session.connect()
session.post("Profiler.enable")
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })

/** Returns the coverage since the previous call of `take`. */
const take = (): ReadonlyArray<Profiler.ScriptCoverage> => {
  let taken: ReadonlyArray<Profiler.ScriptCoverage> = []
  session.post("Profiler.takePreciseCoverage", (_, { result }) => {
    taken = result
  })
  return taken
}

const lengthOf = ({ endOffset, startOffset }: Profiler.CoverageRange) => endOffset - startOffset

/** Returns whether the innermost block of code that contains the offset was executed. */
const executes = ({ functions }: Profiler.ScriptCoverage, offset: number): boolean => {
  const around = functions
    .flatMap(({ ranges }) => ranges)
    .filter(({ endOffset, startOffset }) => startOffset <= offset && offset < endOffset)
    .sort((one, other) => lengthOf(one) - lengthOf(other))
  return (around[0]?.count ?? 0) > 0
}

let started = 0
beforeEach(() => {
  take()
  started = performance.now()
})

afterEach(({ task }) => {
  const ms = Math.round(performance.now() - started)
  const covered = take().flatMap((script) => {
    const path = script.url.startsWith("file:") ? relative(repositoryRoot, fileURLToPath(script.url)) : ""
    const offsets = sites[path]
    if (offsets === undefined) return []
    return [path, ...offsets.filter((offset) => executes(script, offset)).map((offset) => `${path}:${offset}`)]
  })
  const run: RecordedTest = {
    file: relative(repositoryRoot, task.file.filepath),
    name: task.fullTestName,
    ms,
    passed: task.result?.state !== "fail",
    covered
  }
  appendFileSync(join(folder, "coverage.jsonl"), `${JSON.stringify(run)}\n`)
})
