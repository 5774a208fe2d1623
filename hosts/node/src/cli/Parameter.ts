/** Flags and arguments whose values are parsed by `settings/Parser`. */

import type { Parser } from "@partner-commentary/settings/Parser"
import * as Argument from "effect/cli/Argument"
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"

export const required = <A>(name: string, kind: Parser<A>, metavar: string, description: string): Flag.Flag<A> =>
  Flag.String(name).pipe(
    Flag.withMetavar(metavar),
    Flag.withDescription(description),
    Flag.filterMap(kind.parse, () => kind.rule)
  )

export const optional = <A>(
  name: string,
  kind: Parser<A>,
  metavar: string,
  description: string
): Flag.Flag<Option.Option<A>> => Flag.optional(required(name, kind, metavar, description))

/** The flag may be given several times. */
export const repeated = <A>(
  name: string,
  kind: Parser<A>,
  metavar: string,
  description: string
): Flag.Flag<ReadonlyArray<A>> => Flag.atLeast(required(name, kind, metavar, description), 0)

export const argument = <A>(name: string, kind: Parser<A>, description: string): Argument.Argument<A> =>
  Argument.String(name).pipe(
    Argument.withDescription(description),
    Argument.filterMap(kind.parse, () => kind.rule)
  )
