/** A handler over the whole service in memory, in the test's own runtime, and what a test asks it. */

import type * as Embedded from "@partner-commentary/server/Embedded"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Answer } from "../src/Answer.ts"
import { type Handler, makeHandler, type Options } from "../src/Handler.ts"

export const layer = Application.layer({ outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })

/** On the services of the test. */
export const handler = (options?: Options): Effect.Effect<Handler, never, Embedded.Needed> =>
  Effect.map(Effect.context<Embedded.Needed>(), (context) => makeHandler(Layer.succeedContext(context), options))

export const minute = { getRemainingTimeInMillis: () => 60_000 }

/** Whatever form it has: its headers in one, its body as bytes. */
export const told = ({ body, cookies: _, headers, isBase64Encoded, multiValueHeaders, statusCode }: Answer) => ({
  status: statusCode,
  headers: Object.fromEntries(
    multiValueHeaders === undefined
      ? Object.entries(headers ?? {})
      : Object.entries(multiValueHeaders).map(([name, values]) => [name, values.join(", ")])
  ),
  text: Buffer.from(body, isBase64Encoded ? "base64" : "utf8").toString("utf8")
})
