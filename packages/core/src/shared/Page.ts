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

/** The time by which a list is sorted. A cursor is valid only for lists with its sort key. */
export type SortKey = "created_at" | "updated_at"

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The number of entries on all pages together. */
  readonly total: number
  /** The cursor of the next page; none on the last page. */
  readonly next: Option.Option<PageCursor>
}

/** Cursors by creation time have no suffix, because earlier versions gave out cursors without a suffix. */
const suffixes: Readonly<Record<SortKey, string>> = { created_at: "", updated_at: " updated_at" }

/**
 * The cursor is opaque to callers. The cursor is ASCII, so `btoa` can encode the cursor. `btoa` is five times as fast
 * as `Base64Url`.
 */
export const formatPageCursor = ({ createdAt, id }: PageCursor, sortKey: SortKey): string =>
  btoa(`${toIso(createdAt)} ${id}${suffixes[sortKey]}`)
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

export const parsePageCursor = (text: string, sortKey: SortKey): Option.Option<PageCursor> => {
  const decoded = Base64Url.decodeString(text)
  if (Result.isFailure(decoded)) return Option.none()
  const [moment = "", id = ""] = decoded.success.split(" ")
  if (!/^[0-9a-f-]{36}$/.test(id) || decoded.success !== `${moment} ${id}${suffixes[sortKey]}`) return Option.none()
  return Option.map(parse(moment), (createdAt) => ({ createdAt, id }))
}
