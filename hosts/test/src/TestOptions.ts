/** Checks the arguments of the harness at run time, because the harness would ignore a misspelled option. */
import { ApiKeyScope } from "@partner-commentary/core/access/Scope"
import { maxCommentaryLength } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { PlanLimitName, PlanName } from "@partner-commentary/core/partner/Plan"
import { isEmail, isValidLabel, maxNameLength } from "@partner-commentary/core/shared/InputText"
import { defaults } from "@partner-commentary/core/shared/Policy"
import { countCodePoints } from "@partner-commentary/core/shared/Text"
import { MediaKind } from "@partner-commentary/core/topic/MediaRequest"
import * as OptionRules from "@partner-commentary/server/embedding/OptionRules"
import { makeOverridesSchema } from "@partner-commentary/server/embedding/PartialSettings"
import { convertSchemaIssueToProblems } from "@partner-commentary/server/http/Body"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { TestPartnerCommentaryError } from "./TestError.ts"

const { makeOptionalOption, makeRequiredOptionSchema, makeSchemaRule, makeStructOption } = OptionRules

const any = Schema.optional(Schema.Unknown)

const isListOf = (allowed: ReadonlyArray<string>) => (value: unknown) =>
  Array.isArray(value) && value.every((each) => allowed.includes(each))

const quoted = (values: ReadonlyArray<string>) => values.map((value) => JSON.stringify(value)).join(" or ")

const isName = (value: unknown): OptionRules.OptionRuleResult =>
  (Predicate.isString(value) && isValidLabel(value, maxNameLength)) ||
  `must be a name of 1 to ${maxNameLength} characters in one line`

const name = makeRequiredOptionSchema(isName)

const email = makeRequiredOptionSchema(
  (value) => (Predicate.isString(value) && isEmail(value)) || "must be an email address"
)

const policy = makeSchemaRule(makeOverridesSchema(defaults))

const instance = makeStructOption({
  now: any,
  url: any,
  policy: makeOptionalOption((value) => (Predicate.isObject(value) ? policy(value) : "must be an object")),
  media: makeOptionalOption(
    (value) => isListOf(MediaKind.literals)(value) || `must list ${quoted(MediaKind.literals)}`
  ),
  log: makeOptionalOption((value) => Predicate.isFunction(value) || "must be a function")
})

const persona = makeSchemaRule(
  makeStructOption({
    name,
    bio: any,
    expertise: any,
    imageUrl: any,
    socialLinks: any,
    creator: Schema.optional(makeStructOption({ name, email })),
    licensed: OptionRules.optionalBooleanOption
  })
)

const limits = makeSchemaRule(
  makeStructOption(Object.fromEntries(PlanLimitName.literals.map((each) => [each, OptionRules.makeCountOption(0)])))
)

const organization = makeStructOption({
  organization: makeOptionalOption(isName),
  personas: Schema.optional(
    Schema.Array(makeRequiredOptionSchema((value) => (Predicate.isObject(value) ? persona(value) : isName(value))))
  ),
  plan: makeOptionalOption((value) => Schema.is(PlanName)(value) || `must be one of ${PlanName.literals.join(", ")}`),
  limits: makeOptionalOption((value) => {
    if (value === "plan") return true
    return Predicate.isObject(value) ? limits(value) : 'must be "plan" or an object'
  }),
  contactEmail: makeOptionalOption(
    (value) => value === null || (Predicate.isString(value) && isEmail(value)) || "must be an email address or null"
  )
})

const environments = ["live", "test"]

const key = makeStructOption({
  scopes: makeOptionalOption(
    (value) => isListOf(ApiKeyScope.literals)(value) || `must list scopes: ${ApiKeyScope.literals.join(", ")}`
  ),
  environment: makeOptionalOption(
    (value) => environments.includes(value as string) || `must be ${quoted(environments)}`
  ),
  expiresAt: makeOptionalOption(
    (value) => (value instanceof Date && !Number.isNaN(value.getTime())) || "must be a valid Date"
  )
})

const failures = ["dns", "refused", "reset", "tls", "timeout"]
const isStatus = (value: unknown) => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 599
const isText = makeOptionalOption((value) => Predicate.isString(value) || "must be a string")

const response = makeSchemaRule(
  makeStructOption({
    status: makeRequiredOptionSchema((value) => isStatus(value) || "must be a status from 200 to 599"),
    retryAfter: isText,
    body: isText
  })
)

const responses = Schema.Array(
  makeRequiredOptionSchema((value) => {
    if (Predicate.isObject(value)) return response(value)
    return (
      isStatus(value) ||
      failures.includes(value as string) ||
      `must be a status from 200 to 599, an object with a status, or one of ${failures.join(", ")}`
    )
  })
)

const attempts = Schema.Array(makeStructOption({ permanent: OptionRules.optionalBooleanOption }))

const drafts = Schema.Array(
  makeRequiredOptionSchema(
    (value) =>
      (Predicate.isString(value) &&
        value !== "" &&
        value.trim() === value &&
        countCodePoints(value) <= maxCommentaryLength) ||
      `must be a text of 1 to ${maxCommentaryLength} characters without surrounding space, as a generator returns it`
  )
)

/** Makes a check that throws a sentence about the first problem. `nameOf` completes the subject of the sentence. */
const makeCheck = (schema: Schema.Codec<unknown>, nameOf: (field: string) => string) => {
  const decode = Schema.decodeUnknownResult(schema, OptionRules.strictParseOptions)
  return (given: unknown): void => {
    const decoded = decode(given)
    if (Result.isSuccess(decoded)) return
    const [{ constraint, field }] = convertSchemaIssueToProblems(decoded.failure.issue)
    throw new TestPartnerCommentaryError(`The ${nameOf(field)} ${constraint}.`)
  }
}

const optionNameOf = (field: string) => (field === "body" ? "options" : `option ${field}`)

export const checkInstanceOptions = makeCheck(instance, optionNameOf)
export const checkOrganizationSeed = makeCheck(organization, optionNameOf)
export const checkKeyOptions = makeCheck(key, optionNameOf)
export const checkResponses = makeCheck(responses, (field) => `response answerNext${field}`)
export const checkGenerationFailures = makeCheck(attempts, (field) => `failure failNext${field}`)
export const checkMailRefusals = makeCheck(attempts, (field) => `refusal refuseNext${field}`)
export const checkDrafts = makeCheck(drafts, (field) => `text writeNext${field}`)
