/** Extracts the original message of an error for logs and start-up errors. */
import * as Predicate from "effect/Predicate"

/** Returns the error's message and the messages of its causes, without a final full stop. */
export const formatErrorWithCauses = (error: unknown): string => {
  // Node throws an AggregateError if a host name has several addresses and every connection fails.
  if (error instanceof AggregateError && error.errors.length > 0) return formatErrorWithCauses(error.errors[0])
  const said = error instanceof Error ? error.message : String(error)
  const cause = causeOf(isOfSql(error) ? error.reason : error)
  const words =
    cause === undefined
      ? said
      : isOfSql(error)
        ? formatErrorWithCauses(cause)
        : `${said}: ${formatErrorWithCauses(cause)}`
  return words.replace(/\.$/, "")
}

/** Returns whether the error is an SqlError. The database's message is only in the nested reason of an SqlError. */
const isOfSql = (error: unknown): error is { readonly reason: unknown } =>
  Predicate.isTagged(error, "SqlError") && Predicate.hasProperty(error, "reason")

const causeOf = (error: unknown): unknown => (Predicate.hasProperty(error, "cause") ? error.cause : undefined)
