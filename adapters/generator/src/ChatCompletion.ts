/**
 * Reads responses of the chat-completions protocol. All functions of this module are pure. The caller removes the API
 * key from the reasons of errors.
 */
import { GenerationFailed } from "@partner-commentary/core/commentary/CommentaryGenerator"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { collapseWhitespace, describeErrorResponse } from "./Refusal.ts"

const absent = Schema.optional(Schema.Null)

const Completion = Schema.Struct({
  choices: Schema.NonEmptyArray(
    Schema.Struct({
      finish_reason: Schema.optional(Schema.NullOr(Schema.String)),
      message: Schema.Struct({
        content: Schema.optional(Schema.NullOr(Schema.String)),
        refusal: Schema.optional(Schema.NullOr(Schema.String))
      })
    })
  ),
  error: absent
})

/** Some gateways return an error in the body of a response with status 200. */
const ErrorAnswer = Schema.Struct({ error: Schema.Record(Schema.String, Schema.Unknown) })

const asCompletion = Schema.decodeUnknownOption(Completion)
const asErrorAnswer = Schema.decodeUnknownOption(ErrorAnswer)

const fail = (permanent: boolean, reason: string) => Result.fail(new GenerationFailed({ permanent, reason }))

/**
 * Returns the model's text from the JSON of a response with status 200. The module `CommentaryText` checks the model's
 * text later.
 */
export const readCompletionText = (answer: unknown): Result.Result<string, GenerationFailed> => {
  const completion = asCompletion(answer)
  if (Option.isNone(completion)) {
    const wrapped = asErrorAnswer(answer)
    if (Option.isNone(wrapped)) return fail(false, "the answer is not a chat completion")
    const { error } = wrapped.value
    const code = error["code"]
    const status = typeof code === "number" && code >= 400 && code < 600 ? code : undefined
    return Result.fail(new GenerationFailed(describeErrorResponse(status, error)))
  }
  const { finish_reason, message } = completion.value.choices[0]
  if (finish_reason === "content_filter") return fail(true, "refused by content policy: the answer was filtered")
  if (message.refusal) return fail(true, `the model refused: "${collapseWhitespace(message.refusal)}"`)
  if (finish_reason === "length") return fail(false, "the answer was cut off at the model's limit")
  return Result.succeed(message.content ?? "")
}
