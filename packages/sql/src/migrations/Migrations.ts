/**
 * Migrates a database to the current schema. A migration is applied completely or not at all, and no migration is
 * reverted. Any number of processes can start a migration at the same time.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Migrator from "effect/sql/Migrator"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import * as ByteOrder from "../database/ByteOrder.ts"
import { takeAdvisoryLock } from "../database/Lock.ts"
import {
  MigrationFailed,
  MigrationGap,
  PrereleaseSchema,
  SchemaLocked,
  SchemaNotCurrent,
  SchemaTooNew,
  TableNameConflict
} from "../database/SchemaErrors.ts"
import { migrationsTable, readSchemaStatus, type SchemaStatus } from "../database/SchemaStatus.ts"
import { organizations } from "./0001_organizations.ts"
import { personas } from "./0002_personas.ts"
import { topics } from "./0003_topics.ts"
import { mails } from "./0004_mails.ts"
import { media } from "./0005_media.ts"
import { webhooks } from "./0006_webhooks.ts"
import { metrics } from "./0007_metrics.ts"
import { requests } from "./0008_requests.ts"
import { operations } from "./0009_operations.ts"
import { createEventPositions } from "./0010_event_positions.ts"
import { addTopicVersionColumns } from "./0011_topic_changes.ts"
import { addCancellationColumns } from "./0012_cancellation.ts"
import { addFormerSecretColumns } from "./0013_former_secrets.ts"
import { addTopicWebhooksColumn } from "./0014_topic_webhooks.ts"
import { addFixedDeadlineColumn } from "./0015_fixed_deadlines.ts"
import { storeLongRowsByNumber } from "./0016_long_rows.ts"
import { indexDueSteps } from "./0017_due_steps.ts"
import { addMediaOrganizationColumn } from "./0018_media_turns.ts"
import { addPossibleDeliveryColumn } from "./0019_possible_deliveries.ts"
import * as MigrationFailure from "./MigrationFailure.ts"
import * as OlderProcesses from "./OlderProcesses.ts"

type Migration = Effect.Effect<unknown, SqlError, SqlClient.SqlClient>

/**
 * All migrations, oldest first, including migrations that are not yet released. `Frozen.test.ts` lists the released
 * migrations, which never change. Each change of the schema is a new migration.
 */
export const allMigrations: Readonly<Record<string, Migration>> = {
  "0001_organizations": organizations,
  "0002_personas": personas,
  "0003_topics": topics,
  "0004_mails": mails,
  "0005_media": media,
  "0006_webhooks": webhooks,
  "0007_metrics": metrics,
  "0008_requests": requests,
  "0009_operations": operations,
  "0010_event_positions": createEventPositions,
  "0011_topic_changes": addTopicVersionColumns,
  "0012_cancellation": addCancellationColumns,
  "0013_former_secrets": addFormerSecretColumns,
  "0014_topic_webhooks": addTopicWebhooksColumn,
  "0015_fixed_deadlines": addFixedDeadlineColumn,
  "0016_long_rows": storeLongRowsByNumber,
  "0017_due_steps": indexDueSteps,
  "0018_media_turns": addMediaOrganizationColumn,
  "0019_possible_deliveries": addPossibleDeliveryColumn
}

/**
 * Migrations that require that all older processes are stopped. After an exclusive migration, writes of an older
 * process would be lost or wrong.
 */
const exclusive: ReadonlySet<string> = new Set()

const idOf = (name: string): number => Number.parseInt(name, 10)

/**
 * Postgres reports this error if the session has cached query plans for the table of migrations, and the columns of
 * that table were altered since.
 */
const isStale = (error: unknown): boolean => isSqlError(error) && error.reason._tag === "SerializationError"

const isLockTimeout = (error: unknown): boolean =>
  isSqlError(error)
    ? error.reason._tag === "LockTimeoutError"
    : error instanceof Migrator.MigrationError && isLockTimeout(error.cause)

/**
 * Turns the foreign keys of SQLite off. Otherwise, if a migration recreates a table, the table's removal would run the
 * actions of references, such as ON DELETE CASCADE. SQLite ignores the setting within a transaction.
 */
const withoutForeignKeys = <A, E, R>(sql: SqlClient.SqlClient, work: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    sql`PRAGMA foreign_keys = OFF`,
    () => work,
    () => Effect.orDie(sql`PRAGMA foreign_keys = ON`)
  )

/** Returns the failure of the migration itself, because the migrator wraps that failure in another error. */
const explanationOf = (error: Migrator.MigrationError | SqlError) => {
  const cause = error instanceof Migrator.MigrationError ? error.cause : undefined
  return cause instanceof MigrationFailed || cause instanceof TableNameConflict ? cause : error
}

/**
 * Returns functions that inspect and apply the given migrations. Migrations in `exclusive` do not run while older
 * processes run.
 */
export const make = (migrations: Readonly<Record<string, Migration>>, exclusive: ReadonlySet<string>) => {
  const names: ReadonlyArray<string> = Object.keys(migrations)
  const latest = Math.max(...names.map(idOf))
  const explained = Object.fromEntries(
    Object.entries(migrations).map(([name, migration]) => [
      name,
      MigrationFailure.runWithExplainedFailure(name, migration)
    ])
  )
  const apply = Migrator.make({})({ loader: Migrator.fromRecord(explained), table: migrationsTable }).pipe(
    Effect.mapError(explanationOf)
  )

  /**
   * Applies migrations under a lock. Processes that start at the same time wait here for the first process, and then
   * find that no migration is left.
   */
  const applyOnPostgres = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* takeAdvisoryLock(sql, migrationsTable)
    // A process takes the same lock to write its first heartbeat. No process can therefore start while a migration
    // runs.
    yield* OlderProcesses.failIfOlderProcessesRun((yield* schemaStatus).left, exclusive)
    yield* sql`SET LOCAL lock_timeout = '5s'`
    const applied = yield* ByteOrder.withByteOrderCollation(apply)
    yield* sql`SET LOCAL lock_timeout = DEFAULT`
    return applied
  }).pipe(Effect.catchIf(isLockTimeout, () => new SchemaLocked()))

  const check = ({
    applied,
    newest
  }: SchemaStatus): Effect.Effect<void, MigrationGap | SchemaTooNew | PrereleaseSchema> => {
    const renamed = names.find((name) => applied.has(idOf(name)) && `${applied.get(idOf(name))}` !== name.slice(5))
    if (renamed !== undefined) return Effect.fail(new PrereleaseSchema())
    if (newest > latest) return Effect.fail(new SchemaTooNew({ found: newest, known: latest }))
    const missing = names.filter((name) => idOf(name) < newest && !applied.has(idOf(name)))
    return missing.length > 0 ? Effect.fail(new MigrationGap({ missing, newest })) : Effect.void
  }

  /**
   * Returns the state of the schema, and the migrations that are not yet applied, oldest first. The function only
   * reads, and takes no lock.
   */
  const schemaStatus = Effect.gen(function* () {
    const found = yield* Effect.tap(readSchemaStatus, check)
    return { ...found, left: names.filter((name) => idOf(name) > found.newest) }
  })

  /**
   * Applies the missing migrations and returns them, oldest first. If no migration is missing, the function takes no
   * lock, so that a database dump cannot delay a start.
   */
  const migrate = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { left, obstacle } = yield* schemaStatus
    if (left.length === 0) return []
    if (Option.isSome(obstacle)) return yield* obstacle.value
    const applied = yield* sql.onDialectOrElse({
      pg: () => Effect.retry(sql.withTransaction(applyOnPostgres), { times: 1, while: isStale }),
      orElse: () =>
        Effect.andThen(OlderProcesses.failIfOlderProcessesRun(left, exclusive), withoutForeignKeys(sql, apply))
    })
    // A process with a newer version may have migrated the database first.
    yield* Effect.flatMap(readSchemaStatus, check)
    return applied
  })

  return { names, latest, schemaStatus, migrate }
}

export const { latest, migrate, names, schemaStatus } = make(allMigrations, exclusive)

/** Migrates the database before other layers start, if those layers depend on this layer. */
export const layer = Layer.effectDiscard(Effect.asVoid(migrate))

/** Fails if a migration is pending. */
export const requireCurrentSchema = Effect.flatMap(schemaStatus, ({ left }) =>
  left.length === 0 ? Effect.void : Effect.fail(new SchemaNotCurrent({ pending: left }))
)
