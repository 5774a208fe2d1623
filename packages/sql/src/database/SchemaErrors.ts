/** Why a database does not serve as it is: said to whoever runs it, with what they can do about it. */
import * as Schema from "effect/Schema"

/** What texts hold here, another encoding may not. */
export class WrongEncoding extends Schema.TaggedError<WrongEncoding>()("WrongEncoding", {
  encoding: Schema.String
}) {
  override get message() {
    return `The encoding of the database is ${this.encoding}, and must be UTF8: create one with ENCODING 'UTF8' TEMPLATE template0.`
  }
}

/** Below the newest migration one is missing, and later ones were made without it. */
export class SchemaIncomplete extends Schema.TaggedError<SchemaIncomplete>()("SchemaIncomplete", {
  missing: Schema.Array(Schema.String),
  newest: Schema.Number
}) {
  override get message() {
    const what = this.missing.length === 1 ? "the migration" : "the migrations"
    return `The database has seen migration ${this.newest}, but not ${what} ${this.missing.join(", ")} before it: it was written by a version that is none of this line. Restore the backup from before that version, and migrate again; nothing was changed.`
  }
}

/** Since version 15 of Postgres a role may create nothing in `public` unless it owns the database. */
export class SchemaForbidden extends Schema.TaggedError<SchemaForbidden>()("SchemaForbidden", {
  /** Quoted where SQL wants that, and so the schema that it finds first; null where it may use none. */
  role: Schema.String,
  place: Schema.NullOr(Schema.String)
}) {
  override get message() {
    return this.place === null
      ? `The role ${this.role} may use no schema that it finds: have the database's owner run GRANT USAGE, CREATE ON SCHEMA public TO ${this.role}.`
      : `The role ${this.role} may not create tables in the schema ${this.place}: have its owner run GRANT CREATE ON SCHEMA ${this.place} TO ${this.role}.`
  }
}

/** It answers, and takes nothing in. */
export class WritesRefused extends Schema.TaggedError<WritesRefused>()("WritesRefused", {
  isStandby: Schema.Boolean
}) {
  override get message() {
    return this.isStandby
      ? "The database is a standby, which takes no writes: name the primary, or promote this one."
      : "The database takes no writes from this role: transaction_read_only is on. Look at default_transaction_read_only of the server, the database and the role."
  }
}

/** It may read, or not even that. */
export class RightsMissing extends Schema.TaggedError<RightsMissing>()("RightsMissing", {
  role: Schema.String,
  /** Each with the privilege that is missing there. */
  missing: Schema.Array(Schema.String)
}) {
  override get message() {
    return `The role ${this.role} lacks privileges: ${this.missing.join("; ")}. Grant them as the tables' owner.`
  }
}
