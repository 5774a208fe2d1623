/** `doctor`: what there is to mend. */

import * as Settings from "@partner-commentary/settings/Settings"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Administration from "../Administration.ts"
import { answer, table } from "../Answer.ts"
import { CommandFailed } from "../CommandFailed.ts"
import * as Database from "../Database.ts"
import type { Finding } from "../Doctor.ts"
import { undone } from "./Maintenance.ts"

export const doctor = Command.make(
  "doctor",
  {},
  Effect.fn(function* () {
    const findings = yield* examine
    const toMend = findings.reduce((sum, { count = 1, state }) => (state === "mend" ? sum + count : sum), 0)
    yield* answer({
      json: () => ({ ok: toMend === 0, findings }),
      text: () =>
        table(
          ["check", "state", "finding"],
          findings.map(({ check, message, state }) => [check, state, message]),
          ""
        )
    })
    if (toMend > 0) {
      return yield* new CommandFailed({
        message: toMend === 1 ? "There is one thing to mend." : `There are ${toMend} things to mend.`
      })
    }
  })
).pipe(Command.withDescription("Say what works and what there is to mend; exits with 1 if there is anything"))

const examine = Effect.gen(function* () {
  const Doctor = yield* Effect.promise(() => import("../Doctor.ts"))
  const Waiting = yield* Effect.promise(() => import("../Waiting.ts"))
  const read = yield* Effect.result(Effect.tap(Settings.read, Settings.requireForService))
  if (Result.isFailure(read)) return [Doctor.mend("configuration", read.failure.message)]
  const settings = read.success
  const WebhookSecrets = yield* Effect.promise(() => import("../WebhookSecrets.ts"))
  const Receivers = yield* Effect.promise(() => import("../Receivers.ts"))
  const Productions = yield* Effect.promise(() => import("../Productions.ts"))
  const { migrate } = yield* Effect.promise(() => import("@partner-commentary/sql/Migrations"))
  const database = yield* Doctor.database(settings, Effect.provide(undone(migrate), Database.layerClient(settings)))
  const outside: ReadonlyArray<Finding> = [
    ...Doctor.configuration(settings),
    database,
    yield* Doctor.mailServer(settings),
    Doctor.generator(settings),
    yield* Doctor.identityProvider(settings)
  ]
  if (database.state !== "ok") return outside
  const inside = Effect.all([
    Effect.all([
      Doctor.mails,
      Waiting.mails,
      Doctor.generations,
      Waiting.drafts,
      Doctor.work,
      Doctor.deliveries,
      WebhookSecrets.examine(settings),
      Receivers.disabled,
      Productions.examine(settings)
    ]),
    Doctor.licences
  ])
  return [...outside, ...(yield* Effect.provide(inside, Administration.layer)).flat()]
})
