/** The shape of every successful answer. */
import * as Schema from "effect/Schema"

export const Ok = <Data extends Schema.Top>(data: Data) => Schema.Struct({ success: Schema.Literal(true), data })

export const ok = <const Data>(data: Data) => ({ success: true as const, data })
