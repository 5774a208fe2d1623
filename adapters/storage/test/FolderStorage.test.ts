import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { MediaStorage } from "@partner-commentary/core/commentary/MediaStorage"
import type { MediaFile } from "@partner-commentary/core/commentary/MediaSynthesizer"
import * as FolderStorage from "@partner-commentary/storage/FolderStorage"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"

const url = "https://commentary.example.org/media"
const medium = (size: number): MediaFile => ({ contentType: "audio/mpeg", bytes: new Uint8Array(size).fill(7) })

const folder = Effect.acquireRelease(
  Effect.sync(() => join(mkdtempSync(join(tmpdir(), "media-")), "made", "here")),
  (path) => Effect.sync(() => rmSync(join(path, "..", ".."), { recursive: true }))
)

const storage = (path: string) =>
  Effect.provide(
    Effect.map(MediaStorage, (mounted) => mounted ?? assert.fail("none is mounted")),
    FolderStorage.layer({ folder: path, url })
  )

describe("Storage in a folder", () => {
  it.effect("a stored file has the given name and bytes, and only its owner may read the file", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { put } = yield* storage(path)
      assert.strictEqual(yield* put("Name1.mp3", medium(5000)), `${url}/Name1.mp3`)
      assert.deepStrictEqual(readdirSync(path), ["Name1.mp3"])
      assert.strictEqual(readFileSync(join(path, "Name1.mp3")).byteLength, 5000)
      assert.strictEqual(statSync(join(path, "Name1.mp3")).mode & 0o777, 0o600)
      assert.strictEqual(statSync(path).mode & 0o777, 0o700)
    })
  )

  it.effect("while a file is replaced repeatedly, a reader always gets one complete version", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { put } = yield* storage(path)
      yield* put("a.mp3", medium(100_000))
      const seen = new Set<number>()
      yield* Effect.all(
        [
          Effect.forEach(Array.from({ length: 30 }), (_, index) => put("a.mp3", medium(index % 2 ? 100_000 : 200_000))),
          Effect.forEach(Array.from({ length: 200 }), () =>
            Effect.promise(async () => {
              await new Promise((resolve) => setImmediate(resolve))
              seen.add(readFileSync(join(path, "a.mp3")).byteLength)
            })
          )
        ],
        { concurrency: "unbounded" }
      )
      for (const size of seen) assert.include([100_000, 200_000], size)
      assert.deepStrictEqual(readdirSync(path), ["a.mp3"])
    })
  )

  it.effect("a failed write is a temporary failure and leaves no file", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const { put } = yield* storage(path)
      mkdirSync(join(path, "taken.mp3", "within"), { recursive: true })
      const failed = yield* Effect.flip(put("taken.mp3", medium(10)))
      assert.isFalse(failed.permanent)
      assert.deepStrictEqual(readdirSync(path), ["taken.mp3"])
    })
  )

  it.effect(
    "an incomplete file of a dead process is never published, and a start deletes the file if it is an hour old",
    () =>
      Effect.gen(function* () {
        const path = yield* folder
        yield* TestClock.setTime(Date.now())
        yield* storage(path)
        const old = join(path, ".unfinished-old")
        const fresh = join(path, ".unfinished-fresh")
        const finished = join(path, "Name1.mp3")
        for (const file of [old, fresh, finished]) writeFileSync(file, "half")
        const before = (Date.now() - 2 * 3_600_000) / 1000
        for (const file of [old, finished]) utimesSync(file, before, before)
        yield* storage(path)
        assert.deepStrictEqual([old, fresh, finished].map(existsSync), [false, true, true])
      })
  )

  it.effect("the folder storage fails to start if the folder cannot be created", () =>
    Effect.gen(function* () {
      const path = yield* folder
      mkdirSync(join(path, ".."), { recursive: true })
      writeFileSync(path, "a file")
      chmodSync(path, 0o600)
      const failed = yield* Effect.flip(storage(join(path, "within")))
      assert.include(failed.reason, "within")
    })
  )
})
