/** Extracts the original error message for logs and start-up errors. */
import * as Predicate from "effect/Predicate"

/** Returns the original message of an error, without a full stop at the end. */
export const reasonOf = (error: unknown): string => {
  // An AggregateError means that a host name has several addresses and none of them accepts connections.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const said = error instanceof Error ? error.message : String(error)
  const cause = causeOf(isOfSql(error) ? error.reason : error)
  const words = cause === undefined ? said : isOfSql(error) ? reasonOf(cause) : `${said}: ${reasonOf(cause)}`
  return words.replace(/\.$/, "")
}

/** For an SqlError, only the nested reason contains the message of the database. */
const isOfSql = (error: unknown): error is { readonly reason: unknown } =>
  Predicate.isTagged(error, "SqlError") && Predicate.hasProperty(error, "reason")

const causeOf = (error: unknown): unknown => (Predicate.hasProperty(error, "cause") ? error.cause : undefined)
