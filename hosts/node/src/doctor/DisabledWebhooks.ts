/** Whether webhooks are disabled. The partner must repair the receiver; the operator sees here that there is one to tell. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import * as Effect from "effect/Effect"
import { notice, ok } from "./Doctor.ts"

/** None is counted any further. */
const most = 1000

const check = "disabled webhooks"

export const examine = Effect.gen(function* () {
  const { disabled: count } = yield* (yield* DeliveryStore).backlog(yield* Instant.now, most)
  if (count === 0) return ok(check, "None is disabled.")
  const subject =
    count === 1 ? "One webhook is disabled" : `${count === most ? "At least " : ""}${count} webhooks are disabled`
  return { ...notice(check, `${subject}: partner-commentary webhook list --disabled says whose, and why.`), count }
})
