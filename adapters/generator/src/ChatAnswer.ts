/**
 * The chat-completions protocol's answers and refusals in the port's words. Pure: transport and time are elsewhere,
 * and so is keeping keys out of the reasons, which quote the server. Temporary is what another attempt may mend; permanent needs another key, model, request or text.
 */
import { GenerationFailed } from "@partner-commentary/core/commentary/CommentaryGenerator"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

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

/** Some gateways answer 200 with an error inside. */
const ErrorAnswer = Schema.Struct({ error: Schema.Record(Schema.String, Schema.Unknown) })

const asCompletion = Schema.decodeUnknownOption(Completion)
const asErrorAnswer = Schema.decodeUnknownOption(ErrorAnswer)

const policyCodes = new Set(["content_policy_violation", "content_filter", "moderation_blocked"])
const temporaryStatuses = new Set([402, 408, 409, 425, 429])

const quoted = (text: string): string => text.replace(/[\p{Cc}\s]+/gu, " ").trim()

const textOf = (value: unknown): string => (typeof value === "string" ? quoted(value) : "")

const field = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null ? (error as Record<string, unknown>)[name] : undefined

/** An error answer: `error` is what the server put under that name. A refused key is never described in the server's words. */
export const refusal = (status: number | undefined, error: unknown): GenerationFailed => {
  const codes = [field(error, "code"), field(error, "type")].map(textOf)
  const credentials = status === 401 || status === 403
  const policy = codes.some((code) => policyCodes.has(code))
  const words = credentials ? "" : textOf(typeof error === "string" ? error : field(error, "message"))
  const code = codes.find((name) => name !== "")
  return new GenerationFailed({
    permanent: policy || (status !== undefined && status < 500 && !temporaryStatuses.has(status)),
    reason: [
      policy
        ? "refused by content policy:"
        : credentials
          ? "the credentials were refused:"
          : "the generator's server answered",
      status ?? "with an error",
      ...(code === undefined ? [] : [`(${code})`]),
      ...(words === "" ? [] : [`"${words}"`])
    ].join(" ")
  })
}

const fail = (permanent: boolean, reason: string) => Result.fail(new GenerationFailed({ permanent, reason }))

/** The model's text in the decoded JSON of a 200 answer, not yet judged as a commentary. */
export const text = (answer: unknown): Result.Result<string, GenerationFailed> => {
  const completion = asCompletion(answer)
  if (Option.isNone(completion)) {
    const wrapped = asErrorAnswer(answer)
    if (Option.isNone(wrapped)) return fail(false, "the answer is not a chat completion")
    const { error } = wrapped.value
    const code = error["code"]
    const status = typeof code === "number" && code >= 400 && code < 600 ? code : undefined
    return Result.fail(refusal(status, error))
  }
  const { finish_reason, message } = completion.value.choices[0]
  if (finish_reason === "content_filter") return fail(true, "refused by content policy: the answer was filtered")
  if (message.refusal) return fail(true, `the model refused: "${quoted(message.refusal)}"`)
  if (finish_reason === "length") return fail(false, "the answer was cut off at the model's limit")
  return Result.succeed(message.content ?? "")
}
