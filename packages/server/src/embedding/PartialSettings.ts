/**
 * Validates an application's overrides of settings, such as a policy, and fills in the defaults. The default values
 * determine the allowed names and types.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { makeCountOption, makeStructOption, optionalBooleanOption } from "./OptionRules.ts"

/**
 * The type of overrides for settings of the type `A`. Each setting is optional, and a duration is `"48 hours"` or a
 * number of milliseconds.
 */
export type SettingsOverrides<A> = { readonly [Name in keyof A]?: Plain<A[Name]> | undefined }

type Plain<A> = A extends Duration.Duration
  ? Duration.Input
  : A extends ReadonlyArray<infer Each>
    ? ReadonlyArray<Plain<Each>>
    : A extends object
      ? SettingsOverrides<A>
      : A

const duration = Schema.declare(
  (given: unknown): given is Duration.Input =>
    Option.exists(Duration.fromInput(given as Duration.Input), Duration.isPositive),
  { message: 'must be a duration such as "48 hours", or milliseconds' }
)

/** The schedules have default durations, and the lists of texts are empty by default. */
const isListOfDurations = (defaults: unknown) => Array.isArray(defaults) && defaults.some(Duration.isDuration)

/** Returns a schema for settings with the same names and types as the defaults. */
export const makeOverridesSchema = (defaults: unknown): Schema.Codec<unknown> => {
  if (Duration.isDuration(defaults)) return duration
  if (Array.isArray(defaults)) return Schema.Array(isListOfDurations(defaults) ? duration : Schema.String)
  if (Predicate.isNumber(defaults)) return makeCountOption(0)
  if (Predicate.isBoolean(defaults)) return optionalBooleanOption
  const fields = Object.entries(defaults as object).map(
    ([name, each]) => [name, Schema.optional(makeOverridesSchema(each))] as const
  )
  return makeStructOption(Object.fromEntries(fields))
}

/** Returns the defaults with the given overrides. `given` must be valid according to the schema of the defaults. */
export const overrideDefaults = <A>(defaults: A, given: SettingsOverrides<A> | undefined): A =>
  mergeWithDefaults(defaults, given) as A

const mergeWithDefaults = (usual: unknown, given: unknown): unknown => {
  if (given === undefined) return usual
  if (Duration.isDuration(usual)) return Duration.fromInputUnsafe(given as Duration.Input)
  if (isListOfDurations(usual)) return (given as ReadonlyArray<Duration.Input>).map(Duration.fromInputUnsafe)
  if (Array.isArray(usual) || !Predicate.isObject(usual)) return given
  const parts = given as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(usual).map(([name, each]) => [name, mergeWithDefaults(each, parts[name])]))
}
