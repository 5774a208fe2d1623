/** Fetches a URL without credentials. */
import type { FetchedFile } from "@partner-commentary/testkit/MediaStorageSuite"
import * as Effect from "effect/Effect"

export const fetchFile = (url: string): Effect.Effect<FetchedFile> =>
  Effect.promise(async () => {
    const response = await fetch(url)
    const bytes = new Uint8Array(await response.arrayBuffer())
    return { status: response.status, contentType: response.headers.get("content-type"), bytes }
  })
