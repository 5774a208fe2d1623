/** Why the database cannot be used, told to whoever set DATABASE_URL. */
import * as Predicate from "effect/Predicate"
import { type Database, told } from "./DatabaseSettings.ts"
import { SettingRefused } from "./Variable.ts"

/** Names the file or the server, and the variable that chose it or could have. */
export const of = (database: Database, error: unknown): SettingRefused =>
  error instanceof SettingRefused
    ? error
    : new SettingRefused({
        name: "DATABASE_URL",
        reason: `${database.isDefault ? "is unset, which means" : "points at"} ${told(database)}: ${reason(error)}`
      })

/** Without a full stop. */
export const reason = (error: unknown): string => {
  // A name with several addresses, none of which answers.
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0])
  const said = error instanceof Error ? error.message : String(error)
  const cause = causeOf(ofSql(error) ? error.reason : error)
  const words = cause === undefined ? said : ofSql(error) ? reason(cause) : `${said}: ${reason(cause)}`
  return words.replace(/\.$/, "")
}

/** What a database client says is its own; what it was told is the reason's. */
const ofSql = (error: unknown): error is { readonly reason: unknown } =>
  Predicate.isTagged(error, "SqlError") && Predicate.hasProperty(error, "reason")

const causeOf = (error: unknown): unknown => (Predicate.hasProperty(error, "cause") ? error.cause : undefined)
