/** Parses an id in a path. A malformed id and an unknown id give the same 404 response. */
import type { NotFound } from "@partner-commentary/api/Errors"
import * as Ids from "@partner-commentary/core/shared/Ids"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"

export const parseIdentifier = <Id extends string>(
  schema: Schema.Codec<Id, string>,
  text: string,
  missing: NotFound
): Effect.Effect<Id, NotFound> =>
  Option.match(Ids.parse(schema, text), { onNone: () => Effect.fail(missing), onSome: Effect.succeed })
