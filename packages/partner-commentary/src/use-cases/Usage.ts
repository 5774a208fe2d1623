/** Provides `pc.usage`, which reports a partner's usage of its monthly quotas. */
import { UsageReports } from "@partner-commentary/core/usage/UsageReports"
import { toUsageReport } from "@partner-commentary/server/routes/usage/UsageHandlers"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type DataOwner, makeDecoder, ownerFields, type RunUseCase, readOrganizationAsCaller } from "./UseCase.ts"

const read = makeDecoder(Schema.Struct(ownerFields))

export const makeUsageUseCases = (run: RunUseCase) => ({
  report: (owned: DataOwner) =>
    run(
      Effect.gen(function* () {
        const caller = yield* readOrganizationAsCaller(yield* read(owned))
        return toUsageReport(yield* (yield* UsageReports).report(caller))
      })
    )
})
