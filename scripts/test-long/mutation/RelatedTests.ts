/** Finds and runs the tests that execute a given position in a source file. */
import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { repositoryRoot } from "../../Repository.ts"
import type { Mutant } from "./Mutants.ts"

/**
 * A test and the code that the test executes, as `path` for each file and `path:offset` for each requested position.
 */
export interface RecordedTest {
  readonly file: string
  readonly name: string
  readonly ms: number
  readonly passed: boolean
  readonly covered: ReadonlyArray<string>
}

interface Recording {
  readonly sites: string
  readonly runs: ReadonlyArray<RecordedTest>
}

/** If `MUTATION_FOLDER` is set, later runs with the same faults reuse the recording in that folder. */
const folder = process.env["MUTATION_FOLDER"] ?? mkdtempSync(join(tmpdir(), "mutation-"))

const vitest = (options: ReadonlyArray<string>, env: Record<string, string>, timeout?: number) =>
  spawnSync(
    process.execPath,
    [
      join(repositoryRoot, "node_modules/vitest/vitest.mjs"),
      "run",
      "--config",
      join(import.meta.dirname, "vitest.config.ts")
    ].concat(options),
    {
      cwd: repositoryRoot,
      stdio: "ignore",
      timeout,
      // The compile cache shortens a run, because importing the service takes most of its time.
      env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled"), ...env }
    }
  )

/** Runs all tests once, and records which code each test executes. */
export const recordTestRuns = (mutants: ReadonlyArray<Mutant>): ReadonlyArray<RecordedTest> => {
  const grouped = [...Map.groupBy(mutants, ({ path }) => path)]
  const sites = JSON.stringify(
    Object.fromEntries(grouped.map(([path, own]) => [path, own.map(({ offset }) => offset)]))
  )
  const kept = join(folder, "recorded.json")
  const last = existsSync(kept) ? (JSON.parse(readFileSync(kept, "utf8")) as Recording) : undefined
  if (last?.sites === sites) return last.runs
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, "sites.json"), sites)
  rmSync(join(folder, "coverage.jsonl"), { force: true })
  vitest([], { MUTATION_FOLDER: folder, MUTATION_RECORD: "true" })
  const lines = readFileSync(join(folder, "coverage.jsonl"), "utf8").trim().split("\n")
  const runs = lines.map((line) => JSON.parse(line) as RecordedTest).filter(({ passed }) => passed)
  writeFileSync(kept, JSON.stringify({ sites, runs } satisfies Recording))
  return runs
}

/**
 * Returns the tests that execute the code of a fault. Tests of the fault's package come first, then tests of the same
 * subject, then the fastest tests. Tests of the SQLite adapter also count as tests of the package `sql`. If no test
 * executes the fault's position, returns all tests that execute other code of the file, because code outside of
 * functions runs before the first test.
 */
export const findCoveringTests = (
  { offset, path }: Mutant,
  runs: ReadonlyArray<RecordedTest>
): ReadonlyArray<RecordedTest> => {
  const executing = (place: string) => runs.filter(({ covered }) => covered.includes(place))
  const [tests = []] = [executing(`${path}:${offset}`), executing(path)].filter((each) => each.length > 0)
  const [, layer, folder] = /^(packages\/\w+\/)src\/(?:routes\/)?(\w+)/.exec(path) ?? []
  const nearest = layer === "packages/sql/" ? /^(packages\/sql|adapters\/sqlite)\/test\// : new RegExp(`^${layer}test/`)
  const distance = (file: string) => (nearest.test(file) ? 0 : file.includes(`/test/${folder}`) ? 1 : 2)
  const rankOf = (file: string, own: ReadonlyArray<RecordedTest>) =>
    distance(file) * 1_000_000 + own.reduce((sum, { ms }) => sum + ms, 0) / own.length
  return [...Map.groupBy(tests, ({ file }) => file)]
    .map(([file, own]) => ({ own, rank: rankOf(file, own) }))
    .sort((one, other) => one.rank - other.rank)
    .flatMap(({ own }) => own)
}

/** Vitest's option `--testNamePattern` separates suites and tests by a space, but recorded test names use " > ". */
const patternOf = (name: string) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(" > ", " (?:> )?")

type Outcome = "passed" | "failed" | "timed out"

const outcomeOf = (tests: ReadonlyArray<RecordedTest>): Outcome => {
  if (tests.length === 0) return "passed"
  const files = [...new Set(tests.map(({ file }) => file))]
  const names = [...new Set(tests.map(({ name }) => patternOf(name)))].join("|")
  const options = ["--bail=1", "--passWithNoTests", `--testNamePattern=^(?:${names})$`, ...files]
  // Vitest exits with a status even when a timeout stops it, so only `error` distinguishes a timeout from a failure.
  const { error, status } = vitest(options, {}, 120_000)
  return status === 0 ? "passed" : error === undefined ? "failed" : "timed out"
}

/**
 * Runs the tests of the first 1.5 seconds, which find most faults. Runs more tests, up to 40 seconds, only if the first
 * tests pass.
 */
export const runTests = (tests: ReadonlyArray<RecordedTest>): Outcome => {
  let total = 0
  const ends = tests.map(({ ms }) => (total += ms + 5))
  const between = (from: number, to: number) =>
    tests.filter((_, at) => from < (ends[at] ?? 0) && (at === 0 || (ends[at] ?? 0) <= to))
  const first = outcomeOf(between(0, 1500))
  return first === "passed" ? outcomeOf(between(1500, 40_000)) : first
}
