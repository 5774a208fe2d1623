/**
 * Lists have two kinds of pagination: by offset up to a limit, and by cursor without a limit. Entries are sorted newest
 * first, and then by id.
 */
import * as Base64Url from "effect/encoding/Base64Url"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { type Instant, parse, toIso } from "./Instant.ts"

/** A cursor identifies the last entry of the previous page. */
export interface PageCursor {
  readonly createdAt: Instant
  readonly id: string
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The number of entries on all pages together. */
  readonly total: number
  /** The cursor of the next page; none on the last page. */
  readonly next: Option.Option<PageCursor>
}

/**
 * The cursor is opaque to callers. The cursor is ASCII, so `btoa` can encode the cursor. `btoa` is five times as fast
 * as `Base64Url`.
 */
export const formatPageCursor = (cursor: PageCursor): string =>
  btoa(`${toIso(cursor.createdAt)} ${cursor.id}`)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

export const parsePageCursor = (text: string): Option.Option<PageCursor> => {
  const decoded = Base64Url.decodeString(text)
  if (Result.isFailure(decoded)) return Option.none()
  const [moment, id, ...rest] = decoded.success.split(" ")
  if (moment === undefined || id === undefined || !/^[0-9a-f-]{36}$/.test(id) || rest.length > 0) return Option.none()
  return Option.map(parse(moment), (createdAt) => ({ createdAt, id }))
}
