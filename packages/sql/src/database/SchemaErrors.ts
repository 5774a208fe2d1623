/** Errors that explain why the service cannot use a database. The message of each error contains a remedy. */
import * as Schema from "effect/Schema"

/** The text columns require UTF-8, but the database has another encoding. */
export class WrongDatabaseEncoding extends Schema.TaggedError<WrongDatabaseEncoding>()("WrongEncoding", {
  encoding: Schema.String
}) {
  override get message() {
    return `The encoding of the database is ${this.encoding}, and must be UTF8: create one with ENCODING 'UTF8' TEMPLATE template0.`
  }
}

/** The database has a newer migration but lacks an older migration, so no version of the service created the schema. */
export class MigrationGap extends Schema.TaggedError<MigrationGap>()("SchemaIncomplete", {
  missing: Schema.Array(Schema.String),
  newest: Schema.Number
}) {
  override get message() {
    const what = this.missing.length === 1 ? "the migration" : "the migrations"
    return `The database has applied migration ${this.newest}, but not ${what} ${this.missing.join(", ")} before it: a version of another line wrote it. Restore the backup from before that version, and migrate again. Nothing was changed.`
  }
}

/**
 * A development version from before the first release created the schema. The migrations of development versions had
 * the same ids but other names.
 */
export class PrereleaseSchema extends Schema.TaggedError<PrereleaseSchema>()("SchemaUnreleased", {}) {
  override get message() {
    return "A development version from before the first release made this database, and no release can upgrade it: start with an empty database. Nothing was changed."
  }
}

/** The database has a newer schema, which this version of the service does not know. */
export class SchemaTooNew extends Schema.TaggedError<SchemaTooNew>()("SchemaTooNew", {
  /** The newest migration of the database, and the newest migration that this version knows. */
  found: Schema.Number,
  known: Schema.Number
}) {
  override get message() {
    return `The database was written by a newer version: its schema is ${this.found}, and this version knows up to ${this.known}.`
  }
}

/** Migrations are pending, and the options of the service do not allow the start to migrate the database. */
export class SchemaNotCurrent extends Schema.TaggedError<SchemaNotCurrent>()("SchemaNotCurrent", {
  pending: Schema.Array(Schema.String)
}) {
  override get message() {
    const what = this.pending.length === 1 ? "migration" : `${this.pending.length} migrations, from`
    return `The database lacks ${what} ${this.pending[0]}: start a process that migrates the database first.`
  }
}

/**
 * Another transaction holds the lock of a table that the migration changes. While a migration waits for a table's lock,
 * all other users of the table wait as well, so the wait has a time limit.
 */
export class SchemaLocked extends Schema.TaggedError<SchemaLocked>()("SchemaLocked", {}) {
  override get message() {
    return "The schema cannot be changed while a long transaction, such as a dump or a report, locks one of its tables. Nothing was changed: run the migration again when it has ended."
  }
}

/** Since Postgres 15, only the owner of a database may create tables in the schema `public`. */
export class SchemaForbidden extends Schema.TaggedError<SchemaForbidden>()("SchemaForbidden", {
  /**
   * The role, and the first schema of the role's search path. The names of the role and the schema are quoted for SQL.
   * `place` is null if the role can use no schema.
   */
  role: Schema.String,
  place: Schema.NullOr(Schema.String),
  /** The privileges that the role lacks, if the role lacks more than CREATE. */
  privileges: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return this.place === null
      ? `The role ${this.role} may use no schema of its search path: have the database's owner run GRANT USAGE, CREATE ON SCHEMA public TO ${this.role}.`
      : `The role ${this.role} may not create tables in the schema ${this.place}: have its owner run GRANT ${this.privileges ?? "CREATE"} ON SCHEMA ${this.place} TO ${this.role}.`
  }
}

/**
 * The schema that the options name does not exist, and the role may not create the schema. The fields `role`, `place`
 * and `database` contain names that are quoted for SQL.
 */
export class PostgresSchemaMissing extends Schema.TaggedError<PostgresSchemaMissing>()("SchemaMissing", {
  role: Schema.String,
  place: Schema.String,
  database: Schema.String
}) {
  override get message() {
    return `There is no schema ${this.place}, and the role ${this.role} may not create one in the database ${this.database}: have its owner run CREATE SCHEMA ${this.place} AUTHORIZATION ${this.role}.`
  }
}

/** Another application has a table with the same name as a table of the service. */
export class TableNameConflict extends Schema.TaggedError<TableNameConflict>()("TableTaken", {
  table: Schema.String
}) {
  override get message() {
    return `The database has a table ${this.table} that this service did not make: give the service a schema or a database of its own. Nothing was changed.`
  }
}

/** A statement of a migration failed. */
export class MigrationFailed extends Schema.TaggedError<MigrationFailed>()("MigrationFailed", {
  migration: Schema.String,
  /** The first table that the migration's statement names; empty if the statement names no table. */
  table: Schema.String,
  /** The error message of the database. */
  reason: Schema.String
}) {
  override get message() {
    const place = this.table === "" ? "" : ` at the table ${this.table}`
    return `The migration ${this.migration} failed${place}: ${this.reason}. Nothing was changed.`
  }
}

/** The database is read-only, so the service cannot write. */
export class DatabaseReadOnly extends Schema.TaggedError<DatabaseReadOnly>()("WritesRefused", {
  isStandby: Schema.Boolean
}) {
  override get message() {
    return this.isStandby
      ? "The database is a standby, which takes no writes: name the primary, or promote this one."
      : "The database takes no writes from this role: transaction_read_only is on. Look at default_transaction_read_only of the server, the database and the role."
  }
}

/** The role lacks privileges on tables. */
export class PrivilegesMissing extends Schema.TaggedError<PrivilegesMissing>()("RightsMissing", {
  role: Schema.String,
  /** Each element contains a privilege and a table, such as `INSERT ON mails`. */
  missing: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The role ${this.role} lacks privileges: ${this.missing.join("; ")}. Grant them as the tables' owner.`
  }
}
