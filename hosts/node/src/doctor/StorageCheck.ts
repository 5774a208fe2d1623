/** Checks that media can be stored: the check stores a test file in the same way as audio. */
import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import { MediaStorage } from "@partner-commentary/core/commentary/MediaStorage"
import type { Settings } from "@partner-commentary/settings/Settings"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Media from "../app/Media.ts"
import { type DoctorFinding, makeMendFinding, makeNoticeFinding, makeOkFinding } from "./Doctor.ts"

const check = "media storage"

/** Each check replaces the test object of the previous check, because a bucket's credentials may forbid deletes. */
const name = `${"0".repeat(32)}.mp3`

const content = { contentType: "audio/mpeg", bytes: new Uint8Array() } as const

export const checkMediaStorage = (settings: Settings): Effect.Effect<DoctorFinding> => {
  if (Option.isNone(settings.media.storage)) return Effect.succeed(makeOkFinding(check, "None: no media are kept."))
  const storage = settings.media.storage.value
  const place = storage.kind === "folder" ? storage.folder : storage.url
  if (storage.kind === "folder" && !existsSync(storage.folder)) {
    return Effect.succeed(
      makeNoticeFinding(check, `Not checked: ${place} does not exist until a server or worker has started.`)
    )
  }
  const stored = Effect.gen(function* () {
    yield* (yield* MediaStorage)?.put(name, content) ?? Effect.void
    if (storage.kind === "folder") rmSync(join(storage.folder, name), { force: true })
    return makeOkFinding(check, `${place} takes what is stored.`)
  })
  return stored.pipe(
    Effect.provide(Media.storageLayer(settings, "")),
    Effect.catch((failure) =>
      Effect.succeed(
        makeMendFinding(check, `${place} accepts no media: ${"reason" in failure ? failure.reason : failure.message}.`)
      )
    )
  )
}
