/** Defines flags and arguments whose values are parsed by `settings/Parser`. */

import type { Parser } from "@partner-commentary/settings/Parser"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"

export const requiredFlag = <A>(name: string, kind: Parser<A>, metavar: string, description: string): Flag.Flag<A> =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.filterMap(kind.parse, () => kind.rule)
  )

export const optionalFlag = <A>(
  name: string,
  kind: Parser<A>,
  metavar: string,
  description: string
): Flag.Flag<Option.Option<A>> => Flag.optional(requiredFlag(name, kind, metavar, description))

/** Defines a flag that may be given several times. */
export const repeatedFlag = <A>(
  name: string,
  kind: Parser<A>,
  metavar: string,
  description: string
): Flag.Flag<ReadonlyArray<A>> => Flag.atLeast(requiredFlag(name, kind, metavar, description), 0)

export const positionalArgument = <A>(name: string, kind: Parser<A>, description: string): Argument.Argument<A> =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.filterMap(kind.parse, () => kind.rule)
  )
