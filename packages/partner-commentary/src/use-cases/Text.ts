/** Defines schemas for texts that people enter, such as names, with the same rules as the command-line program. */
import * as InputText from "@partner-commentary/core/shared/InputText"
import * as Schema from "effect/Schema"

const line = (limit: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => InputText.isValidLabel(text, limit), {
      message: `must be 1 to ${limit} characters on one line`
    })
  )

const rule = (is: (text: string) => boolean, message: string) => Schema.String.check(Schema.makeFilter(is, { message }))

export const NameSchema = line(InputText.maxNameLength)
export const ExpertiseSchema = Schema.Array(line(InputText.maxExpertiseLength))
export const EmailSchema = rule(InputText.isEmail, "must be an e-mail address such as ada@example.com")
export const HttpUrlSchema = rule(InputText.isHttpUrl, "must be an http:// or https:// address")
export const ProseSchema = rule(
  InputText.isValidProse,
  `must be at most ${InputText.maxProseLength} characters, without control characters`
)
export const SocialLinksSchema = Schema.Record(Schema.String, HttpUrlSchema).check(
  Schema.makeFilter((links) => Object.keys(links).every(InputText.isSocialPlatformName), {
    message: "must name platforms in lower-case letters and digits, such as twitter"
  })
)
