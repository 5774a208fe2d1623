/** Why something failed, in the words of whatever knew it first: for an operator's eyes, in a log or at a start. */
import * as Predicate from "effect/Predicate"

/** Without a full stop. */
export const reasonOf = (error: unknown): string => {
  // A name with several addresses, none of which answers.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const said = error instanceof Error ? error.message : String(error)
  const cause = causeOf(isOfSql(error) ? error.reason : error)
  const words = cause === undefined ? said : isOfSql(error) ? reasonOf(cause) : `${said}: ${reasonOf(cause)}`
  return words.replace(/\.$/, "")
}

/** What a database client says is its own; what it was told is the reason's. */
const isOfSql = (error: unknown): error is { readonly reason: unknown } =>
  Predicate.isTagged(error, "SqlError") && Predicate.hasProperty(error, "reason")

const causeOf = (error: unknown): unknown => (Predicate.hasProperty(error, "cause") ? error.cause : undefined)
