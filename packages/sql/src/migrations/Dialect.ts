/** The few words of a table's definition in which databases differ. */
import type { SqlClient } from "effect/sql/SqlClient"

/** Types are enforced. */
export const strict = (sql: SqlClient) =>
  sql.onDialectOrElse({ sqlite: () => sql.literal("STRICT"), orElse: () => sql.literal("") })

/** Types are enforced, and rows lie in the order of the primary key, which saves SQLite a second tree. */
export const clustered = (sql: SqlClient) =>
  sql.onDialectOrElse({ sqlite: () => sql.literal("STRICT, WITHOUT ROWID"), orElse: () => sql.literal("") })

/** The type of a key that counts up by itself. */
export const serial = (sql: SqlClient) =>
  sql.onDialectOrElse({
    pg: () => sql.literal("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"),
    orElse: () => sql.literal("INTEGER PRIMARY KEY")
  })

/** A whole number beyond 2^31: every INTEGER of SQLite holds one. */
export const large = (sql: SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql.literal("BIGINT"), orElse: () => sql.literal("INTEGER") })

/** Pages are filled to so many percent: a changed row finds room beside itself, and no index hears of it. SQLite changes rows in place. */
export const oftenUpdated = (sql: SqlClient, fill: number) =>
  sql.onDialectOrElse({ pg: () => sql.literal(`WITH (fillfactor = ${fill})`), orElse: () => sql.literal("") })
