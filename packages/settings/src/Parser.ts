/** Parses texts from environment variables, flags and arguments, and describes the valid values. */
import * as IpAllowList from "@partner-commentary/core/access/IpAllowList"
import { ApiKeyScope } from "@partner-commentary/core/access/Scope"
import { maxLimitOverride, PlanLimitName } from "@partner-commentary/core/partner/Plan"
import * as Ids from "@partner-commentary/core/shared/Ids"
import * as InputText from "@partner-commentary/core/shared/InputText"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as PublicAddress from "@partner-commentary/core/shared/PublicAddress"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

export interface Parser<A> {
  /** Describes the valid values. The text of `rule` is the rest of a sentence after `must be`. */
  readonly rule: string
  readonly parse: (text: string) => Option.Option<A>
}

const ofSchema = <A>(schema: Schema.Codec<A, string>, right: string): Parser<A> => ({
  rule: right,
  parse: Schema.decodeOption(schema)
})

const checkedParser = (isGood: (text: string) => boolean, right: string): Parser<string> =>
  ofSchema(Schema.Trim.check(Schema.makeFilter(isGood)), right)

/** Parses a list whose entries are separated by commas. Blank entries of the list are ignored. */
const listParserOf = <A>(entry: Parser<A>, right: string): Parser<ReadonlyArray<A>> => ({
  rule: right,
  parse: (text) => Option.all(parts(text).map(entry.parse))
})

/** Parses `NAME=VALUE`. An empty value after the equals sign becomes null. */
const pairParserOf = <Name extends string, A>(
  name: Parser<Name>,
  value: Parser<A>,
  right: string
): Parser<readonly [Name, A | null]> => ({
  rule: right,
  parse: (text) => {
    const at = text.indexOf("=")
    if (at < 0) return Option.none()
    const worth = text.slice(at + 1).trim()
    return Option.all([
      name.parse(text.slice(0, at).trim()),
      worth === "" ? Option.some(null) : value.parse(worth)
    ] as const)
  }
})

/** Parses an empty text as null, so that a user can remove a value. */
export const makeNullableParser = <A>(kind: Parser<A>): Parser<A | null> => ({
  rule: `${kind.rule}, or "" for none`,
  parse: (text) => (text.trim() === "" ? Option.some(null) : kind.parse(text))
})

export const makeOneOfParser = <const A extends string>(choices: ReadonlyArray<A>): Parser<A> => ({
  rule: `one of ${choices.join(", ")}`,
  parse: (text) => Option.fromUndefinedOr(choices.find((choice) => choice === text.trim().toLowerCase()))
})

export const makeIntegerParser = (least: number, most: number): Parser<number> => ({
  rule: `a whole number from ${least} to ${most}`,
  parse: (text) =>
    Option.filter(
      /^\d{1,15}$/.test(text) ? Option.some(Number(text)) : Option.none(),
      (number) => number >= least && number <= most
    )
})

export const portParser = makeIntegerParser(0, 65_535)

export const booleanParser: Parser<boolean> = {
  rule: "true or false",
  parse: (text) =>
    Option.map(makeOneOfParser(["true", "false", "yes", "no", "on", "off", "1", "0"]).parse(text), isTrue)
}

export const durationParser: Parser<Duration.Duration> = {
  rule: 'a duration above zero, of at most 3650 days, such as "90 seconds", "48 hours" or "7 days"',
  parse: (text) =>
    Option.filter(
      Duration.fromInput(text as Duration.Input),
      (parsed) => Duration.isGreaterThan(parsed, Duration.zero) && Duration.isLessThanOrEqualTo(parsed, longest)
    )
}

/** The maximum duration that a setting accepts. A much longer duration could result in a time after the year 9999. */
const longest = Duration.days(3650)

/** Parses a list of durations, which must have at least one entry. */
export const durationListParser: Parser<ReadonlyArray<Duration.Duration>> = {
  rule: 'durations above zero, of at most 3650 days, separated by commas, such as "1 minute, 10 minutes, 1 hour"',
  parse: (text) => Option.filter(listParserOf(durationParser, "").parse(text), (list) => list.length > 0)
}

/** Parses a base URL without query and fragment, and removes trailing slashes. */
export const baseUrlParser: Parser<string> = {
  rule: "an http:// or https:// address without query and fragment",
  parse: (text) =>
    InputText.isHttpUrl(text) && !/[?#]/.test(text)
      ? Option.some(new URL(text).href.replace(/(?<!\/)\/+$/, ""))
      : Option.none()
}

/** Parses the public address of the service, which is `{api_root}` in URLs. */
export const publicAddressParser: Parser<string> = {
  rule: PublicAddress.publicAddressRequirement,
  parse: PublicAddress.normalizePublicAddress
}

export const httpUrlParser = checkedParser(InputText.isHttpUrl, "an http:// or https:// address")

export const emailParser = checkedParser(InputText.isEmail, "an e-mail address such as ada@example.com")

const lineUpTo = (limit: number, right: string) => checkedParser((text) => InputText.isValidLabel(text, limit), right)

/** Parses a name that creators and partners see. */
export const nameParser = lineUpTo(InputText.maxNameLength, `1 to ${InputText.maxNameLength} characters on one line`)

export const proseParser = checkedParser(
  InputText.isValidProse,
  `at most ${InputText.maxProseLength} characters, without control characters`
)

export const expertiseParser = listParserOf(
  lineUpTo(InputText.maxExpertiseLength, ""),
  "at most 100 characters each, separated by commas"
)

export const socialLinkParser = pairParserOf(
  checkedParser(InputText.isSocialPlatformName, ""),
  httpUrlParser,
  "NAME=URL, such as twitter=https://twitter.com/ada"
)

export const limitOverrideParser = pairParserOf(
  ofSchema(PlanLimitName, ""),
  makeIntegerParser(0, maxLimitOverride),
  `NAME=VALUE with a whole number from 0, or NAME= for the plan's own, and a name of ${PlanLimitName.literals.join(", ")}`
)

/** Parses headers in the format of OpenTelemetry. */
export const otlpHeadersParser: Parser<Readonly<Record<string, string>>> = {
  rule: 'NAME=VALUE separated by commas, values percent-encoded, such as "authorization=Bearer%20abc"',
  parse: (text) =>
    Option.map(Option.all(parts(text).map(header.parse)), (list) =>
      Object.fromEntries(list.map(([name, value]) => [name.toLowerCase(), value ?? ""]))
    )
}

const header = pairParserOf(
  checkedParser((text) => /^[\w!#$%&'*+.^`|~-]{1,100}$/.test(text), ""),
  {
    rule: "",
    parse: (text) =>
      Option.filter(Result.getSuccess(Result.try(() => decodeURIComponent(text))), (value) =>
        /^[\t\x20-\x7e]*$/.test(value)
      )
  } satisfies Parser<string>,
  ""
)

export const makeIdParser = <Id extends string>(schema: Schema.Codec<Id, string>): Parser<Id> => ({
  rule: "an id such as 0190a6f0-7c1e-7000-8000-000000000000",
  parse: (text) => Ids.parse(schema, text.trim())
})

export const timestampParser: Parser<Instant.Instant> = {
  rule: "a moment with a time zone, such as 2026-12-31T23:59:59Z",
  parse: (text) => Instant.parse(text.trim())
}

/** Parses the inclusive start of a period. */
export const startTimestampParser: Parser<Instant.Instant> = {
  ...timestampParser,
  parse: (text) => Instant.parse(text.trim(), "up")
}

export const scopesParser: Parser<ReadonlyArray<ApiKeyScope>> = {
  rule: `one or more of ${ApiKeyScope.literals.join(", ")}, separated by commas`,
  parse: (text) =>
    Option.filter(
      Option.all([...new Set(parts(text))].map((part) => Schema.decodeUnknownOption(ApiKeyScope)(part))),
      (list) => list.length > 0
    )
}

const address: Parser<string> = {
  rule: "",
  parse: (text) => (Result.isSuccess(IpAllowList.parseAllowList([text])) ? Option.some(text) : Option.none())
}

const rightNetworks = 'addresses or CIDR ranges separated by commas, such as "203.0.113.7, 2001:db8::/32"'

/**
 * Parses addresses and networks, and returns the entries as they were written. The list needs at least one entry,
 * because an empty list would allow every address.
 */
export const networkListParser: Parser<ReadonlyArray<string>> = {
  rule: rightNetworks,
  parse: (text) => Option.filter(listParserOf(address, rightNetworks).parse(text), (list) => list.length > 0)
}

export const ipAllowListParser: Parser<IpAllowList.IpAllowList> = {
  rule: rightNetworks,
  parse: (text) => Option.fromUndefinedOr(Result.getOrUndefined(IpAllowList.parseAllowList(parts(text))))
}

const parts = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "")

const isTrue = (text: string): boolean => ["true", "yes", "on", "1"].includes(text)
