/** Converts values between the types of Postgres and the types that the stores use with SQLite. */
import * as PgTypes from "@effect/sql-pg/PgTypes"
import * as Result from "effect/Result"

/** Postgres text can contain every character except NUL. */
const nul = "\0"
const replacement = "\uFFFD"

/** Converts a statement parameter. Flags become 0 or 1, and times become ISO text. */
export const toPostgresParameter = (value: unknown): unknown => {
  if (typeof value === "string") return value.includes(nul) ? value.replaceAll(nul, replacement) : value
  if (typeof value === "boolean") return value ? 1 : 0
  if (value === undefined) return null
  // biome-ignore lint/style/noRestrictedGlobals: the official Effect drivers also bind dates
  return value instanceof Date ? value.toISOString() : value
}

/** Counts and sums are converted to numbers, because none of them exceeds 2^53. */
export const makePgTypeRegistry = (): PgTypes.Registry => {
  const types = PgTypes.makeRegistry()
  const view = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  types.register<number | bigint>(PgTypes.OID.int8, {
    decode: (bytes) => Result.succeed(Number(view(bytes).getBigInt64(0))),
    encode: (value) => {
      const bytes = new Uint8Array(8)
      view(bytes).setBigInt64(0, BigInt(value))
      return Result.succeed(bytes)
    }
  })
  return types
}
