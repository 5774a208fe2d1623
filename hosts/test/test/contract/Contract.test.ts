/** The contract fuzzer, briefly: it takes the served openapi.json alone. At length it is run by test-long. */
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { layer } from "../../test-long/contract/Callers.ts"
import { guarantee } from "../../test-long/contract/Guarantee.ts"

it.live("every answer to every operation is one that the description allows, and never a 5xx", () =>
  guarantee({ runs: 60, rounds: 4, reachesAll: false }).pipe(Effect.provide(layer))
)
