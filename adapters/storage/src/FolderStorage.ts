/**
 * Stores media as files in a folder that a web server publishes. A new file gets its public name only when it is
 * complete, and then replaces a file with the same name in one step.
 */
import { randomUUID } from "node:crypto"
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import {
  type FileStorage,
  MediaStorage,
  maxStorageTime,
  StorageFailed
} from "@partner-commentary/core/commentary/MediaStorage"
import type { MediaFile } from "@partner-commentary/core/commentary/MediaSynthesizer"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

export interface FolderStorageOptions {
  readonly folder: string
  /** The URL of the folder. The URL must not end with a slash. */
  readonly url: string
}

/** The prefix in the names of incomplete files. The names of published files never begin with `.unfinished-`. */
const unfinished = ".unfinished-"

/** The age after which an incomplete file is regarded as left over from a process that has died. */
const longestWrite = Duration.hours(1)

const make = Effect.fnUntraced(function* ({ folder, url }: FolderStorageOptions) {
  yield* attempt(() => mkdir(folder, { recursive: true, mode: 0o700 }).then(() => undefined))
  yield* deleteIncompleteFiles(folder)

  const put: FileStorage["put"] = Effect.fn("MediaStorage.put")(function* (name: string, { bytes }: MediaFile) {
    const draft = join(folder, `${unfinished}${randomUUID()}`)
    yield* Effect.ensuring(
      attempt(() =>
        write(draft, bytes)
          .then(() => rename(draft, join(folder, name)))
          .then(() => remember(folder))
      ),
      Effect.promise(() => rm(draft, { force: true }).catch(() => undefined))
    ).pipe(
      Effect.timeoutOrElse({
        duration: maxStorageTime,
        orElse: () => Effect.fail(new StorageFailed({ permanent: false, reason: "the disk did not answer in time" }))
      })
    )
    return `${url}/${name}`
  })
  return { put }
})

const attempt = (change: () => Promise<void>) =>
  Effect.tryPromise({
    try: change,
    // The error message contains the path, but only the operator sees the message.
    catch: (cause) => new StorageFailed({ permanent: false, reason: String((cause as Error).message) })
  })

/**
 * Writes a file and flushes the file before it gets its final name, so that a published file survives a power failure.
 */
const write = (file: string, bytes: Uint8Array): Promise<void> =>
  open(file, "wx", 0o600).then((handle) =>
    handle
      .writeFile(bytes)
      .then(() => handle.sync())
      .finally(() => handle.close())
  )

/** Flushes the folder's entries to the disk, if the operating system supports this. */
const remember = (folder: string): Promise<void> =>
  open(folder, "r").then(
    (handle) =>
      handle
        .sync()
        .catch(() => undefined)
        .finally(() => handle.close()),
    () => undefined
  )

/**
 * Deletes incomplete files of processes that have died. Several processes may delete incomplete files at the same time.
 */
const deleteIncompleteFiles = Effect.fnUntraced(function* (folder: string) {
  const before = (yield* Clock.currentTimeMillis) - Duration.toMillis(longestWrite)
  yield* attempt(() =>
    readdir(folder)
      .then((names) => names.filter((name) => name.startsWith(unfinished)).map((name) => join(folder, name)))
      .then((files) =>
        Promise.all(
          files.map((file) =>
            stat(file)
              .then(({ mtimeMs }) => (mtimeMs < before ? rm(file, { force: true }) : undefined))
              .catch(() => undefined)
          )
        )
      )
      .then(() => undefined)
  )
})

export const layer = (options: FolderStorageOptions) => Layer.effect(MediaStorage, make(options))
