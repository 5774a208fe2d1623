/** The service that the fuzzer asks, over real sockets with real time and its workers; and who may call it. */
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Credentials } from "./Requests.ts"

export const layer = TestApi.layerHttp.pipe(
  Layer.provideMerge(TestApi.workers),
  Layer.provideMerge(Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) }))
)

/** By the names that the description gives its security schemes. */
export const credentials = Effect.gen(function* () {
  const owner = yield* Seed.organization()
  yield* Effect.forEach([1, 2, 3], () => Seed.persona(owner))
  yield* Seed.persona(null)
  const live = yield* Seed.key(owner)
  const test = yield* Seed.key(owner, { environment: "test" })
  const other = yield* Seed.key(yield* Seed.organization())
  const credentials: Credentials = {
    ApiKey: [live, test, test, other].map(({ text }) => ({ "x-api-key": text }))
  }
  return credentials
})
