/** `pc.usage`: a partner's usage of its monthly quotas. */
import { Usage } from "@partner-commentary/core/usage/Usage"
import { view } from "@partner-commentary/server/routes/usage/UsageHandlers"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { asker, decoding, type Owned, ofOrganization, type Run } from "./UseCase.ts"

const read = decoding(Schema.Struct(ofOrganization))

export const usage = (run: Run) => ({
  report: (owned: Owned) =>
    run(
      Effect.gen(function* () {
        const caller = yield* asker(yield* read(owned))
        return view(yield* (yield* Usage).report(caller))
      })
    )
})
