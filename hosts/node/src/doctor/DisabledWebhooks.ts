/** Counts disabled webhooks. The partner must repair the receiver, and the operator may have to tell the partner. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import * as Effect from "effect/Effect"
import { notice, ok } from "./Doctor.ts"

/** The count stops here. */
const limit = 1000

const check = "disabled webhooks"

export const examine = Effect.gen(function* () {
  const { disabled: count } = yield* (yield* DeliveryStore).backlog(yield* Instant.now, limit)
  if (count === 0) return ok(check, "None is disabled.")
  const subject =
    count === 1 ? "One webhook is disabled" : `${count === limit ? "At least " : ""}${count} webhooks are disabled`
  return { ...notice(check, `${subject}: partner-commentary webhook list --disabled says whose, and why.`), count }
})
