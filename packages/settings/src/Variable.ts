/** Reads one environment variable with Effect's Config. Each error names the environment variable. */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Parser } from "./Parser.ts"
import type { VariableName } from "./VariableNames.ts"

/** The error for an invalid or missing setting. An invalid setting prevents the start of the service. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  name: Schema.String,
  /**
   * The reason completes a sentence that starts with the variable's name, without a full stop. The reason never
   * contains a secret.
   */
  reason: Schema.String
}) {
  override get message() {
    return `${this.name} ${this.reason}.`
  }
}

/** Returns the trimmed text of the variable; none when the variable is unset or blank. */
export const readText = (name: VariableName): Effect.Effect<Option.Option<string>, InvalidSetting> =>
  Config.option(Config.String(name)).pipe(
    Effect.mapError(() => new InvalidSetting({ name, reason: "cannot be read" })),
    Effect.map(Option.map((value) => value.trim())),
    Effect.map(Option.filter((value) => value !== ""))
  )

export const readOptional = <A>(name: VariableName, kind: Parser<A>): Effect.Effect<Option.Option<A>, InvalidSetting> =>
  Effect.flatMap(
    readText(name),
    Option.match({
      onNone: () => Effect.succeedNone,
      onSome: (value) =>
        Option.match(kind.parse(value), {
          onNone: () => Effect.fail(new InvalidSetting({ name, reason: `must be ${kind.rule}` })),
          onSome: Effect.succeedSome
        })
    })
  )

export const readWithDefault = <A>(
  name: VariableName,
  kind: Parser<A>,
  fallback: A
): Effect.Effect<A, InvalidSetting> =>
  Effect.map(
    readOptional(name, kind),
    Option.getOrElse(() => fallback)
  )
