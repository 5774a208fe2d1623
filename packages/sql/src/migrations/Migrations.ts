/** Brings a database to the present schema: forward only, all of it or nothing, by as many processes at once as may come. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import * as ByteOrder from "../database/ByteOrder.ts"
import { lockName } from "../database/Lock.ts"
import { SchemaIncomplete } from "../database/SchemaErrors.ts"
import { look, type SchemaStatus, table } from "../database/SchemaStatus.ts"
import { partners } from "./0001_partners.ts"
import { topics } from "./0002_topics.ts"
import { usage } from "./0003_usage.ts"
import { mails } from "./0004_mails.ts"
import { audit } from "./0005_audit.ts"
import { calls } from "./0006_calls.ts"
import { webhooks } from "./0007_webhooks.ts"
import { idempotency } from "./0008_idempotency.ts"
import { sandbox } from "./0009_sandbox.ts"
import { performance } from "./0010_performance.ts"
import { deliveries } from "./0011_deliveries.ts"
import { revocations } from "./0012_revocations.ts"
import { recoveries } from "./0013_recoveries.ts"
import { unwellWebhooks } from "./0014_unwell_webhooks.ts"
import { windowOrder } from "./0015_window_order.ts"
import { rateWindows } from "./0016_rate_windows.ts"
import { keptFigures } from "./0018_kept_figures.ts"
import { eventsByType } from "./0019_events_by_type.ts"
import { recoveriesInTurn } from "./0020_recoveries_in_turn.ts"
import { productions } from "./0021_productions.ts"
import { productionTickets } from "./0022_production_tickets.ts"
import { removedWebhooks } from "./0024_removed_webhooks.ts"
import { assignmentsInTurn } from "./0025_assignments_in_turn.ts"
import { mailsInTurn } from "./0026_mails_in_turn.ts"
import { openByOrganization } from "./0027_open_by_organization.ts"
import { testStorage } from "./0029_test_storage.ts"
import { mailTickets } from "./0030_mail_tickets.ts"
import { dueTimes } from "./0033_due_times.ts"
import { processes } from "./0034_processes.ts"
import * as OlderProcesses from "./OlderProcesses.ts"

const migrations = {
  "0001_partners": partners,
  "0002_topics": topics,
  "0003_usage": usage,
  "0004_mails": mails,
  "0005_audit": audit,
  "0006_calls": calls,
  "0007_webhooks": webhooks,
  "0008_idempotency": idempotency,
  "0009_sandbox": sandbox,
  "0010_performance": performance,
  "0011_deliveries": deliveries,
  "0012_revocations": revocations,
  "0013_recoveries": recoveries,
  "0014_unwell_webhooks": unwellWebhooks,
  "0015_window_order": windowOrder,
  "0016_rate_windows": rateWindows,
  "0018_kept_figures": keptFigures,
  "0019_events_by_type": eventsByType,
  "0020_recoveries_in_turn": recoveriesInTurn,
  "0021_productions": productions,
  "0022_production_tickets": productionTickets,
  "0024_removed_webhooks": removedWebhooks,
  "0025_assignments_in_turn": assignmentsInTurn,
  "0026_mails_in_turn": mailsInTurn,
  "0027_open_by_organization": openByOrganization,
  "0029_test_storage": testStorage,
  "0030_mail_tickets": mailTickets,
  "0033_due_times": dueTimes,
  "0034_processes": processes
}

const isHeld = (error: unknown): boolean =>
  isSqlError(error)
    ? error.reason._tag === "LockTimeoutError"
    : error instanceof Migrator.MigrationError && isHeld(error.cause)

/** All of them, oldest first. */
export const names: ReadonlyArray<string> = Object.keys(migrations)

const idOf = (name: string): number => Number.parseInt(name, 10)

/** The schema that this version knows. */
export const latest = Math.max(...names.map(idOf))

/** Nothing was changed: what a newer version means by its schema, this one cannot know. */
export class SchemaTooNew extends Schema.TaggedError<SchemaTooNew>()("SchemaTooNew", {
  /** The highest migration that the database has seen, and the highest that this version knows. */
  found: Schema.Number,
  known: Schema.Number
}) {
  override get message() {
    return `The database was written by a newer version: its schema is ${this.found}, and this version knows up to ${this.known}.`
  }
}

/** Nothing was changed: whoever waits for a table for himself has everybody else wait behind him. */
export class SchemaHeld extends Schema.TaggedError<SchemaHeld>()("SchemaHeld", {}) {
  override get message() {
    return "The schema cannot be changed while somebody holds one of its tables for long, such as a dump or a report. Nothing was changed: start again when that is over."
  }
}

const apply = Migrator.make({})({ loader: Migrator.fromRecord(migrations), table })

/**
 * Where many processes can write: those that start at once wait for the first, and find nothing left to do. For what anybody else
 * holds it is not waited long.
 */
const oneByOne = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* lockName(sql, table)
  // Under the lock, which a process takes to be seen first: none begins meanwhile.
  yield* OlderProcesses.check((yield* schemaStatus).left)
  yield* sql`SET LOCAL lock_timeout = '5s'`
  const applied = yield* ByteOrder.ofWhatIsMade(apply)
  yield* sql`SET LOCAL lock_timeout = DEFAULT`
  return applied
}).pipe(Effect.catchIf(isHeld, () => new SchemaHeld()))

/** A migration that is missing below the newest one would never run: the schema is none that any version made. */
const known = ({
  applied,
  newest
}: Pick<SchemaStatus, "applied" | "newest">): Effect.Effect<void, SchemaTooNew | SchemaIncomplete> => {
  if (newest > latest) return Effect.fail(new SchemaTooNew({ found: newest, known: latest }))
  const missing = names.filter((name) => idOf(name) < newest && !applied.has(idOf(name)))
  return missing.length > 0 ? Effect.fail(new SchemaIncomplete({ missing, newest })) : Effect.void
}

/** How the database stands, and which migrations are left to do, oldest first. Nothing is changed, and nobody waited for but who migrates. */
export const schemaStatus = Effect.gen(function* () {
  const found = yield* Effect.tap(look, known)
  return { ...found, left: names.filter((name) => idOf(name) > found.newest) }
})

/**
 * Answers with what was applied, oldest first; nothing when nothing was left to do, which is seen without a lock: who starts waits for
 * no dump of the database.
 */
export const migrate = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { left, obstacle } = yield* schemaStatus
  if (left.length === 0) return []
  if (Option.isSome(obstacle)) return yield* obstacle.value
  const applied = yield* sql.onDialectOrElse({
    pg: () => sql.withTransaction(oneByOne),
    orElse: () => Effect.andThen(OlderProcesses.check(left), apply)
  })
  // A newer version may have come before.
  yield* Effect.flatMap(look, known)
  return applied
})

/** Migrates before anything that is built on it. */
export const layer = Layer.effectDiscard(Effect.asVoid(migrate))
