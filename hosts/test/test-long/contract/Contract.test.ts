/**
 * Runs the contract fuzzer for a long time. The fuzzer knows only the served openapi.json and some credentials, and
 * sends thousands of valid and invalid requests to every operation. The OpenAPI document must allow each response.
 * `CONTRACT_RUNS` sets the number of requests per operation. `CONTRACT_SEED` repeats a run with the printed seed.
 */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { layerOverHttp } from "./Callers.ts"
import { runContractFuzzer } from "./Guarantee.ts"

const runs = Number(process.env["CONTRACT_RUNS"] ?? 2000)

it.live("every response to thousands of requests conforms to the OpenAPI document, and no response is a 5xx", () =>
  runContractFuzzer({ runs, reachesAll: true, rounds: Math.max(4, Math.round(runs / 40)) }).pipe(
    Effect.provide(layerOverHttp)
  )
)
