/** Defines the commands `migrate` and `purge`, which maintain the database. */
import { Retention } from "@partner-commentary/core/operations/Retention"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as DatabaseErrors from "@partner-commentary/settings/DatabaseErrors"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { calculateDeletionCutoffs, eventRetention, mailRetention } from "partner-commentary/administration/Deletion"
import * as Database from "../../app/Database.ts"
import * as Logs from "../../telemetry/Logs.ts"
import * as Administration from "../Administration.ts"
import { printResult } from "../Output.ts"

const days = (duration: Duration.Duration) => `${Duration.toDays(duration)} days`

const databaseAlone = Layer.unwrap(
  Effect.map(Effect.tap(Settings.readSettings, Settings.requireExplicitDatabase), (settings) =>
    Layer.merge(Database.layerForMigrations(settings), Logs.layer(settings, "warn"))
  )
)

export const migrateCommand = Command.make(
  "migrate",
  {},
  Effect.fn(function* () {
    const { migrate } = yield* Effect.promise(() => import("@partner-commentary/sql/Migrations"))
    const { database } = yield* Settings.readSettings
    const done = yield* Effect.mapError(migrate, (error) => DatabaseErrors.explainDatabaseError(database, error))
    const applied = done.map(([id, name]) => `${String(id).padStart(4, "0")}_${name}`)
    yield* printResult({
      json: () => ({ applied }),
      text: () =>
        applied.length === 0
          ? ["Nothing to do: the database is up to date."]
          : applied.map((name) => `Applied ${name}.`)
    })
  }, Effect.provide(databaseAlone))
).pipe(Command.withDescription("Migrate the database to the current schema. serve and worker do this as well"))

export const purgeCommand = Command.make(
  "purge",
  {
    dryRun: Flag.Boolean("dry-run").pipe(
      Flag.withDescription("Count only, and delete nothing"),
      Flag.withDefault(false)
    )
  },
  Effect.fn(function* ({ dryRun }) {
    const retention = yield* Retention
    const { testRetention } = (yield* Settings.readSettings).policy
    const before = calculateDeletionCutoffs(yield* Instant.now, testRetention)
    const { testTopics, ...gone } = yield* dryRun ? retention.count(before) : retention.purge(before)
    yield* printResult({
      json: () => ({ ...gone, test_topics: testTopics, dry_run: dryRun }),
      text: () => [
        `${dryRun ? "Would delete" : "Deleted"} ${gone.mails} mails settled more than ${days(mailRetention)} ago, ${gone.windows} closed duplicate windows, ${gone.answers} responses of expired idempotency keys, ${gone.events} events older than ${days(eventRetention)} with their deliveries, and ${testTopics} test topics older than ${Duration.format(testRetention)}.`
      ]
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("Delete expired data"))
