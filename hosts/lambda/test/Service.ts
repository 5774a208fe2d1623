/** Provides a handler with the whole service in memory, and helpers for the tests' requests. */

import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { GatewayResponse } from "partner-commentary/lambda/GatewayResponse"
import type { ScheduledRunResult } from "partner-commentary/lambda/Handler"
import { type HostServices, type LambdaHandler, makeHandler } from "../src/Handler.ts"

export const apiRoot = "https://commentary.example"

export const layerWithApiRoot = (apiRoot: string) =>
  Application.layer({ apiRoot, outside: Layer.merge(Mailbox.layer, ScriptedGenerator.layer) })

export const layer = layerWithApiRoot(apiRoot)

/** Makes a handler that uses the services of the test's layer. */
export const makeLambdaHandler: Effect.Effect<LambdaHandler, never, HostServices> = Effect.map(
  Effect.context<HostServices>(),
  (context) => makeHandler(Layer.succeedContext(context))
)

export const lambdaContextWithOneMinuteLeft = { getRemainingTimeInMillis: () => 60_000 }

/** Normalizes a response: all headers in one object, and the body as bytes. */
export const normalizeResponse = (answer: GatewayResponse | ScheduledRunResult) => {
  if (!("statusCode" in answer)) throw new Error("this answers no request")
  const { body, headers, isBase64Encoded, multiValueHeaders, statusCode } = answer
  const pairs = Object.entries(multiValueHeaders ?? {}).map(([name, values]) => [name, values.join(", ")])
  return {
    status: statusCode,
    headers: Object.fromEntries(multiValueHeaders === undefined ? Object.entries(headers ?? {}) : pairs) as Readonly<
      Record<string, string>
    >,
    bytes: Buffer.from(body, isBase64Encoded ? "base64" : "utf8")
  }
}
