/**
 * Runs the fuzzer once as a test. The test prints a summary, and fails if the fuzzer finds a fault or does not reach
 * every operation.
 */
import { assert } from "@effect/vitest"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { seedCallers } from "./Callers.ts"
import type { OpenApiDocument } from "./Description.ts"
import * as Fuzzer from "./Fuzzer.ts"
import * as Verdict from "./Verdict.ts"

/**
 * With `reachesAll`, every operation must succeed at least once. Reaching every operation takes some hundreds of
 * requests.
 */
export const runContractFuzzer = Effect.fnUntraced(function* (
  options: Pick<Fuzzer.FuzzerOptions, "runs" | "rounds"> & { readonly reachesAll: boolean }
) {
  const { call } = yield* TestApi
  const served = yield* call("/openapi.json")
  const document = yield* Effect.promise(() => served.json() as Promise<OpenApiDocument>)
  const seed = Number(process.env["CONTRACT_SEED"] ?? Math.floor(Math.random() * 2 ** 30))
  assert.deepStrictEqual(Verdict.findMissingRules(document), [], "the description says this no more")
  const known = yield* seedCallers
  const report = yield* Effect.promise(() =>
    Fuzzer.runFuzzer({ ...options, seed, document, callers: known, root: new URL(served.url).origin })
  )
  const told = `${Fuzzer.summarizeReport(report)}\nCONTRACT_SEED=${seed} CONTRACT_RUNS=${options.runs}\n`
  yield* Effect.sync(() => process.stdout.write(told))
  if (report.faults.length > 0) assert.fail(`CONTRACT_SEED=${seed}\n${report.faults.join("\n\n")}`)
  if (!options.reachesAll) return
  const unreached = [...report.tallies].filter(
    ([, counts]) => ![...counts.keys()].some((label) => label.startsWith("2"))
  )
  assert.deepStrictEqual(
    unreached.map(([name]) => name),
    [],
    "no request to these succeeded"
  )
})
