import { assert, it } from "@effect/vitest"
import { EndpointConcurrencyPool } from "@partner-commentary/api/ApiKeyAuth"
import { ConcurrencyLimit, type ConcurrencyPool } from "@partner-commentary/core/access/ConcurrencyLimit"
import { CurrentFairShare } from "@partner-commentary/core/shared/FairShare"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { makeWithPermit } from "../../src/middleware/ConcurrentRequests.ts"
import * as FairScheduler from "../../src/middleware/FairScheduler.ts"

/**
 * Lets the test start requests, and run the turns of the event loop one by one. A task has already used the whole time
 * of the current turn.
 */
const scene = Effect.gen(function* () {
  const limit = yield* ConcurrencyLimit
  let now = 0
  let due: Array<() => void> = []
  const fair = FairScheduler.make({ now: () => now, next: (run) => void due.push(run) })
  const turn = () => {
    const runs = due
    due = []
    for (const run of runs) run()
  }
  const worked: Array<string> = []
  const work = Effect.map(CurrentFairShare, ({ owner }) => {
    now += FairScheduler.turnBudgetMs
    worked.push(owner)
  })
  const ask = (organization: string, pool: ConcurrencyPool = "standard", handled = work) =>
    makeWithPermit(limit, { annotations: Context.make(EndpointConcurrencyPool, pool) })(
      { organization: organization as OrganizationId, credential: "x-api-key" },
      handled
    ).pipe(
      Effect.provideService(FairScheduler.CurrentFairScheduler, fair),
      Effect.provideService(
        HttpServerRequest.HttpServerRequest,
        HttpServerRequest.fromWeb(new Request("http://localhost/partner/v1/events"))
      ),
      Effect.forkChild({ startImmediately: true })
    )
  fair.start(
    () => "busy",
    () => {
      now += FairScheduler.turnBudgetMs
    }
  )
  return { ask, turn, work, worked }
})

it.effect("requests start in their organization's turns, and a disconnected client's request never starts", () =>
  Effect.gen(function* () {
    const { ask, turn, worked } = yield* scene
    const [first, gone, third] = [yield* ask("attacker"), yield* ask("attacker"), yield* ask("attacker")]
    const victim = yield* ask("victim")
    assert.deepStrictEqual(worked, [])
    gone.interruptUnsafe()
    for (const done of [["attacker"], ["attacker", "victim"], ["attacker", "victim", "attacker"]]) {
      turn()
      assert.deepStrictEqual(worked, done)
    }
    yield* Fiber.joinAll([first, third, victim])
  }).pipe(Effect.provide(ConcurrencyLimit.layer))
)

it.effect("the reads of an organization's streams take turns with the requests of other organizations", () =>
  Effect.gen(function* () {
    const { ask, turn, work, worked } = yield* scene
    const read = Effect.andThen(Effect.yieldNow, work)
    const streams = yield* Effect.forEach([1, 2], () => ask("attacker", "streaming", Effect.andThen(read, read)))
    const victim = yield* ask("victim")
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 10)))
    assert.deepStrictEqual(worked, [])
    for (let count = 0; count < 3; count++) turn()
    assert.deepStrictEqual(worked, ["attacker", "victim", "attacker"])
    for (let count = 0; count < 2; count++) turn()
    yield* Fiber.joinAll([...streams, victim])
  }).pipe(Effect.provide(ConcurrencyLimit.layer))
)
