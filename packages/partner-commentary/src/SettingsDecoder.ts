/** Checks the settings in the second argument of a function such as `sqlite`. */
import {
  makeStructOption,
  type OptionSchemas,
  strictParseOptions
} from "@partner-commentary/server/embedding/OptionRules"
import { convertSchemaIssueToProblems } from "@partner-commentary/server/http/Body"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { makeInvalidOptionError, type PartnerCommentaryError } from "./PartnerCommentaryError.ts"

export const makeSettingsDecoder = (option: string, fields: OptionSchemas) => {
  const decode = Schema.decodeUnknownResult(makeStructOption(fields), strictParseOptions)
  return <A>(given: A): Result.Result<A, PartnerCommentaryError> => {
    if (!Predicate.isObject(given))
      return Result.fail(makeInvalidOptionError(option, "must have its settings in an object"))
    return Result.mapBoth(decode(given), {
      onFailure: ({ issue }) => {
        const [{ constraint, field }] = convertSchemaIssueToProblems(issue)
        return makeInvalidOptionError(`${option}.${field}`, constraint)
      },
      onSuccess: () => given
    })
  }
}
