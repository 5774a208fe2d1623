/** Declares command-line flags and positional arguments, whose values `settings/Parser` parses. */

import type { Parser } from "@partner-commentary/settings/Parser"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"

export const declareRequiredFlag = <A>(
  name: string,
  kind: Parser<A>,
  metavar: string,
  description: string
): Flag.Flag<A> =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.filterMap(kind.parse, () => kind.rule)
  )

export const declareOptionalFlag = <A>(
  name: string,
  kind: Parser<A>,
  metavar: string,
  description: string
): Flag.Flag<Option.Option<A>> => Flag.optional(declareRequiredFlag(name, kind, metavar, description))

/** Declares a flag that may occur several times on the command line. */
export const declareRepeatedFlag = <A>(
  name: string,
  kind: Parser<A>,
  metavar: string,
  description: string
): Flag.Flag<ReadonlyArray<A>> => Flag.atLeast(declareRequiredFlag(name, kind, metavar, description), 0)

export const declarePositionalArgument = <A>(
  name: string,
  kind: Parser<A>,
  description: string
): Argument.Argument<A> =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.filterMap(kind.parse, () => kind.rule)
  )
