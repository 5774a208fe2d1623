/** Extracts the original error message for logs and start-up errors. */
import * as Predicate from "effect/Predicate"

/** The message has no full stop. */
export const reasonOf = (error: unknown): string => {
  // The host name has several addresses, and none of them accepts connections.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const said = error instanceof Error ? error.message : String(error)
  const cause = causeOf(isOfSql(error) ? error.reason : error)
  const words = cause === undefined ? said : isOfSql(error) ? reasonOf(cause) : `${said}: ${reasonOf(cause)}`
  return words.replace(/\.$/, "")
}

/** For an SqlError, only the nested reason contains the database's message. */
const isOfSql = (error: unknown): error is { readonly reason: unknown } =>
  Predicate.isTagged(error, "SqlError") && Predicate.hasProperty(error, "reason")

const causeOf = (error: unknown): unknown => (Predicate.hasProperty(error, "cause") ? error.cause : undefined)
