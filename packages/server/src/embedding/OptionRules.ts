/**
 * Defines rules for options. A rule returns true, or the rest of a sentence that starts with the option's name, such as
 * `must be true or false`.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as SchemaIssue from "effect/SchemaIssue"

export type OptionRuleResult = true | string | SchemaIssue.Issue

export type OptionSchemas = Readonly<Record<string, Schema.Codec<unknown>>>

export const makeRequiredOptionSchema = (judge: (value: unknown) => OptionRuleResult) =>
  Schema.Unknown.check(Schema.makeFilter(judge))

export const makeOptionalOption = (judge: (value: unknown) => OptionRuleResult) =>
  Schema.optional(makeRequiredOptionSchema((value) => value === undefined || judge(value)))

export const isText = (value: unknown): value is string => Predicate.isString(value) && value.trim() !== ""

export const makeTextOption = (right: string, isRight: (text: string) => boolean = () => true) =>
  makeRequiredOptionSchema((value) => (isText(value) && isRight(value)) || right)

export const isPositive = (value: unknown): boolean => Number.isFinite(value) && Number(value) > 0

const isFlag = (value: unknown): OptionRuleResult => Predicate.isBoolean(value) || "must be true or false"

const isCount =
  (least: number) =>
  (value: unknown): OptionRuleResult =>
    (Number.isSafeInteger(value) && Number(value) >= least) || `must be a whole number, ${least} or more`

export const optionalBooleanOption = makeOptionalOption(isFlag)

export const makeCountOption = (least: number) => makeOptionalOption(isCount(least))

/** Returns the schema of an object that has exactly the given fields. */
export const makeStructOption = <Each extends OptionSchemas>(fields: Each) =>
  Schema.Struct(fields).annotate({ messageUnexpectedKey: "is no option of this version" })

export const strictParseOptions = { onExcessProperty: "error" } as const

/** Makes an option rule that reports the problems that a schema finds in the option's value. */
export const makeSchemaRule = (schema: Schema.Codec<unknown>) => {
  const decode = Schema.decodeUnknownResult(schema, strictParseOptions)
  return (value: unknown): OptionRuleResult => {
    const decoded = decode(value)
    return Result.isSuccess(decoded) || decoded.failure.issue
  }
}
