import { assert, it } from "@effect/vitest"
import { ConcurrencyLimit } from "@partner-commentary/core/access/ConcurrencyLimit"
import { FairShare } from "@partner-commentary/core/shared/FairShare"
import type { OrganizationId } from "@partner-commentary/core/shared/Ids"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import { withPermit } from "../../src/middleware/ConcurrentRequests.ts"
import * as FairScheduler from "../../src/middleware/FairScheduler.ts"

it.effect(
  "each request of an organization starts in the turn of the organization, and requests of disconnected clients never start",
  () =>
    Effect.gen(function* () {
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
      const ask = (organization: string) => {
        const work = Effect.map(FairShare, (share) => {
          now += FairScheduler.turnBudget
          worked.push(share)
        })
        return withPermit(
          limit,
          { annotations: Context.empty() },
          { organization: organization as OrganizationId, credential: "x-api-key" },
          work
        ).pipe(
          Effect.provideService(FairScheduler.CurrentFairScheduler, fair),
          Effect.provideService(
            HttpServerRequest.HttpServerRequest,
            HttpServerRequest.fromWeb(new Request("http://localhost/partner/v1/events"))
          ),
          Effect.forkChild({ startImmediately: true })
        )
      }
      // The present turn has no time left.
      fair.start("busy", () => {
        now += FairScheduler.turnBudget
      })
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
