/**
 * Defines rules for options. A rule returns true, or the rest of a sentence that starts with the option's name, such as
 * `must be true or false`.
 */
import { problemsOfSchemaIssue } from "@partner-commentary/server/http/Body"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"
import { invalidOption, type PartnerCommentaryError } from "./PartnerCommentaryError.ts"

export type RuleResult = true | string | SchemaIssue.Issue

export type Fields = Readonly<Record<string, Schema.Codec<unknown>>>

export const required = (judge: (value: unknown) => RuleResult) => Schema.Unknown.check(Schema.makeFilter(judge))

export const optional = (judge: (value: unknown) => RuleResult) =>
  Schema.optional(required((value) => value === undefined || judge(value)))

export const isText = (value: unknown): value is string => Predicate.isString(value) && value.trim() !== ""

export const textOption = (right: string, isRight: (text: string) => boolean = () => true) =>
  required((value) => (isText(value) && isRight(value)) || right)

export const isPositive = (value: unknown): boolean => Number.isFinite(value) && Number(value) > 0

const isFlag = (value: unknown): RuleResult => Predicate.isBoolean(value) || "must be true or false"

const isCount =
  (least: number) =>
  (value: unknown): RuleResult =>
    (Number.isSafeInteger(value) && Number(value) >= least) || `must be a whole number, ${least} or more`

export const flagOption = optional(isFlag)

export const optionalCount = (least: number) => optional(isCount(least))

/** Returns the schema of an object that has exactly the given fields. */
export const structOption = <Each extends Fields>(fields: Each) =>
  Schema.Struct(fields).annotate({ messageUnexpectedKey: "is no option of this version" })

export const strictOptions = { onExcessProperty: "error" } as const

/** Turns a schema into a rule. The rule reports the problems that the schema finds. */
export const matchesSchema = (schema: Schema.Codec<unknown>) => {
  const decode = Schema.decodeUnknownResult(schema, strictOptions)
  return (value: unknown): RuleResult => {
    const decoded = decode(value)
    return Result.isSuccess(decoded) || decoded.failure.issue
  }
}

/** Checks the settings in the second argument of a function such as `sqlite`. */
export const settingsOf = (option: string, fields: Fields) => {
  const decode = Schema.decodeUnknownResult(structOption(fields), strictOptions)
  return <A>(given: A): Result.Result<A, PartnerCommentaryError> => {
    if (!Predicate.isObject(given)) return Result.fail(invalidOption(option, "must have its settings in an object"))
    return Result.mapBoth(decode(given), {
      onFailure: ({ issue }) => {
        const [{ constraint, field }] = problemsOfSchemaIssue(issue)
        return invalidOption(`${option}.${field}`, constraint)
      },
      onSuccess: () => given
    })
  }
}
