/** Defines the command `doctor`, which checks the installation. */

import * as Timeout from "@partner-commentary/server/workers/Timeout"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Command from "effect/cli/Command"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { DoctorFinding } from "../../doctor/Doctor.ts"
import * as Administration from "../Administration.ts"
import { CommandFailed } from "../CommandFailed.ts"
import { formatTable, printResult } from "../Output.ts"

export const doctorCommand = Command.make(
  "doctor",
  {},
  Effect.fn(function* () {
    const findings = yield* examine
    const toMend = findings.filter(({ state }) => state === "mend").length
    yield* printResult({
      json: () => ({ ok: toMend === 0, findings }),
      text: () =>
        formatTable(
          ["check", "state", "finding"],
          findings.map(({ check, message, state }) => [check, state, message]),
          ""
        )
    })
    if (toMend > 0) {
      return yield* new CommandFailed({
        message: toMend === 1 ? "There is one problem." : `There are ${toMend} problems.`
      })
    }
  })
).pipe(
  Command.withDescription("Check the configuration, the database and other servers. Exits with 1 if there is a problem")
)

const examine = Effect.gen(function* () {
  const Doctor = yield* Effect.promise(() => import("../../doctor/Doctor.ts"))
  const { doctorAdvice } = yield* Effect.promise(() => import("../../doctor/Advice.ts"))
  const { diagnoseLicences } = yield* Effect.promise(() => import("partner-commentary/doctor/Licences"))
  const StoredWebhooks = yield* Effect.promise(() => import("partner-commentary/doctor/StoredWebhooks"))
  const StoredWork = yield* Effect.promise(() => import("partner-commentary/doctor/StoredWork"))
  const needed = (settings: Settings.Settings) =>
    Effect.andThen(Settings.requireExplicitDatabase(settings), Settings.requireServiceSettings(settings))
  const read = yield* Effect.result(Effect.tap(Settings.readSettings, needed))
  if (Result.isFailure(read)) return [Doctor.makeMendFinding("configuration", read.failure.message)]
  const settings = read.success
  const WebhookSecrets = yield* Effect.promise(() => import("../../doctor/WebhookSecrets.ts"))
  const MediaJobs = yield* Effect.promise(() => import("../../doctor/MediaJobs.ts"))
  const FileIntegrity = yield* Effect.promise(() => import("../../doctor/FileIntegrity.ts"))
  const DatabaseCheck = yield* Effect.promise(() => import("../../doctor/DatabaseCheck.ts"))
  const ModelServers = yield* Effect.promise(() => import("../../doctor/ModelServers.ts"))
  const StorageCheck = yield* Effect.promise(() => import("../../doctor/StorageCheck.ts"))
  const inside = Effect.all([
    Effect.all([
      StoredWork.diagnoseFailedMails(doctorAdvice),
      StoredWork.diagnoseMailsAwaitingRetry,
      StoredWork.diagnoseFailedGenerations(doctorAdvice),
      StoredWork.diagnoseDraftsAwaitingRetry,
      StoredWork.diagnoseOverdueWork(doctorAdvice),
      StoredWebhooks.diagnoseOverdueDeliveries(doctorAdvice),
      WebhookSecrets.checkWebhookSecrets(settings),
      StoredWebhooks.diagnoseDisabledWebhooks(doctorAdvice),
      MediaJobs.diagnoseMediaJobs(settings)
    ]),
    diagnoseLicences(doctorAdvice)
  ])
  const stored = Effect.gen(function* () {
    const database = yield* DatabaseCheck.checkDatabase(settings)
    if (database.state === "mend") return { database, within: [] }
    return { database, within: (yield* Effect.provide(inside, Administration.layer)).flat() }
  })
  const silent = Doctor.makeMendFinding(
    "database",
    `No answer within ${Duration.format(Doctor.doctorCheckTimeout)}: its content was not checked.`
  )
  const [{ database, within }, integrity, ...others] = yield* Effect.all(
    [
      Effect.catchTag(Timeout.withTimeout(Doctor.doctorCheckTimeout, stored), "TimeoutError", () =>
        Effect.succeed({ database: silent, within: [] as ReadonlyArray<DoctorFinding> })
      ),
      FileIntegrity.checkFileIntegrity(settings),
      Doctor.withCheckTimeout("mail server", Doctor.checkMailServer(settings)),
      Doctor.withCheckTimeout("generator", ModelServers.checkDraftGenerator(settings)),
      Doctor.withCheckTimeout("speech", ModelServers.checkSpeechServer(settings)),
      Doctor.withCheckTimeout("media storage", StorageCheck.checkMediaStorage(settings)),
      Doctor.withCheckTimeout("identity provider", Doctor.checkIdentityProvider(settings))
    ],
    { concurrency: "unbounded" }
  )
  return [...Doctor.checkConfiguration(settings), database, ...integrity, ...others, ...within]
})
