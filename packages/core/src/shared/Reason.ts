/** Extracts the original message of an error for logs and start-up errors. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** The maximum number of nested errors in a reason, because an error can be its own cause. */
const maxErrors = 10

/** The maximum length of an object's JSON in a reason. */
const maxJsonLength = 300

/** Returns the error's message and the messages of its causes, without a final full stop. Never throws. */
export const formatErrorWithCauses = (error: unknown): string => formatNested(error, maxErrors)

/** An application can throw any value, for example an object whose properties throw errors themselves. */
const formatNested = (error: unknown, limit: number): string =>
  Result.getOrElse(
    Result.try(() => format(error, limit)),
    () => "an error that cannot be read"
  )

const format = (error: unknown, limit: number): string => {
  // Node throws an AggregateError if a host name has several addresses and every connection fails.
  if (error instanceof AggregateError && error.errors.length > 0) return formatNested(error.errors[0], limit - 1)
  const cause = limit > 1 ? causeOf(isOfSql(error) ? error.reason : error) : undefined
  const words =
    cause === undefined
      ? messageOf(error)
      : isOfSql(error)
        ? formatNested(cause, limit - 1)
        : `${messageOf(error)}: ${formatNested(cause, limit - 1)}`
  return words.replace(/\.$/, "")
}

const messageOf = (error: unknown): string => {
  if (!Predicate.isObjectOrArray(error)) return String(error)
  const { code, message, name } = error as { readonly [Name in "message" | "code" | "name"]?: unknown }
  return [message, code, name].find(isVisibleText) ?? JSON.stringify(error).slice(0, maxJsonLength)
}

const isVisibleText = (value: unknown): value is string => Predicate.isString(value) && value.trim() !== ""

/** Returns whether the error is an SqlError. The database's message is only in the nested reason of an SqlError. */
const isOfSql = (error: unknown): error is { readonly reason: unknown } =>
  Predicate.isTagged(error, "SqlError") && Predicate.hasProperty(error, "reason")

const causeOf = (error: unknown): unknown => (Predicate.hasProperty(error, "cause") ? error.cause : undefined)
