/** Tests the guarantees of the MediaStorage port. A stored file can be fetched completely and unchanged by its URL. */
import { assert, describe } from "@effect/vitest"
import { MediaStorage } from "@partner-commentary/core/commentary/MediaStorage"
import type { MediaFile } from "@partner-commentary/core/commentary/MediaSynthesizer"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import { makeGuaranteeTest } from "../support/GuaranteeTest.ts"

export interface FetchedFile {
  readonly status: number
  readonly contentType: string | null
  readonly bytes: Uint8Array
}

/** `fetched` requests a URL as any HTTP client can, and returns the response. */
export const suite = <R, E, E2>(
  name: string,
  layer: Layer.Layer<R, E>,
  fetched: (url: string) => Effect.Effect<FetchedFile, E2, R>
): void => {
  describe(`${name}: MediaStorage`, () => {
    const it = makeGuaranteeTest(layer)

    const put = Effect.fnUntraced(function* (name: string, medium: MediaFile) {
      const storage = yield* MediaStorage
      return storage === null ? assert.fail("no storage is mounted") : yield* storage.put(name, medium)
    })

    for (const [what, { medium, name }] of Object.entries(media)) {
      it(`${what} is fetched with every byte and its content type`, () =>
        Effect.gen(function* () {
          const url = yield* put(name, medium)
          assert.isTrue(URL.canParse(url))
          assert.isTrue(new URL(url).pathname.endsWith(`/${name}`))
          const found = yield* fetched(url)
          assert.deepStrictEqual([found.status, found.contentType], [200, medium.contentType])
          assert.isTrue(same(found.bytes, medium.bytes))
        }))
    }

    it("if a file is stored again under the same name, the new content replaces the old content and the URL stays the same", () =>
      Effect.gen(function* () {
        const first = yield* put(named("again", "mp3"), audio(3000))
        for (const size of [10, 5000]) {
          assert.strictEqual(yield* put(named("again", "mp3"), audio(size)), first)
          assert.strictEqual((yield* fetched(first)).bytes.byteLength, size)
        }
      }))

    it("if files are stored concurrently under one name, exactly one of them is stored completely", () =>
      Effect.gen(function* () {
        const sizes = Array.from({ length: 8 }, (_, index) => 100_000 + index)
        const urls = yield* Effect.forEach(sizes, (size) => put(named("race", "mp3"), audio(size)), {
          concurrency: "unbounded"
        })
        const { bytes } = yield* fetched(urls[0] ?? "")
        assert.include(sizes, bytes.byteLength)
        assert.isTrue(same(bytes, audio(bytes.byteLength).bytes))
      }))

    it("files with different names are separate, and an unused name is not found", () =>
      Effect.gen(function* () {
        const one = yield* put(named("one", "mp3"), audio(1))
        const other = yield* put(named("one1", "mp3"), audio(2))
        assert.strictEqual((yield* fetched(one)).bytes.byteLength, 1)
        assert.strictEqual((yield* fetched(other)).bytes.byteLength, 2)
        assert.strictEqual((yield* fetched(one.replace(named("one", "mp3"), named("none", "mp3")))).status, 404)
      }))
  })
}

/** Creates a file name in the format that the core uses. */
const named = (word: string, extension: string): string => `${word.padEnd(32, "0")}.${extension}`

/** Creates a file with all byte values, in a pattern that does not repeat within a page. */
const bytes = (size: number) => Uint8Array.from({ length: size }, (_, index) => (index * 31 + (index >> 8)) & 255)

const audio = (size: number): MediaFile => ({ contentType: "audio/mpeg", bytes: bytes(size) })

const media: Record<string, { readonly name: string; readonly medium: MediaFile }> = {
  "an ordinary file": { name: named("ordinary", "mp3"), medium: audio(40_000) },
  "a file of one byte": { name: named("byte", "wav"), medium: { contentType: "audio/wav", bytes: bytes(1) } },
  "a film": { name: named("other", "webm"), medium: { contentType: "video/webm", bytes: bytes(70_000) } },
  "a large film": { name: named("large", "mp4"), medium: { contentType: "video/mp4", bytes: bytes(3_000_000) } }
}

const same = (one: Uint8Array, other: Uint8Array): boolean =>
  one.byteLength === other.byteLength && one.every((byte, index) => byte === other[index])
