/** Defines the envelope of every successful response. */
import * as Schema from "effect/Schema"

export const SuccessFlag = Schema.Literal(true).annotate({ description: "Always true for a successful response." })

export const SuccessEnvelope = <Data extends Schema.Top>(data: Data) => Schema.Struct({ success: SuccessFlag, data })

export const ok = <const Data>(data: Data) => ({ success: true as const, data })
