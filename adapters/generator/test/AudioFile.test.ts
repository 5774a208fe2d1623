import { assert, describe, it } from "@effect/vitest"
import { joinMp3, typeOf } from "@partner-commentary/generator/AudioFile"
import { concat, frame, id3, infoFrame, oldTag } from "./Mp3.ts"

const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))

describe("AudioFile", () => {
  for (const [what, file, type] of [
    ["MP3 by its tag", id3(10), "audio/mpeg"],
    ["MP3 by its frame", frame(0), "audio/mpeg"],
    ["WAV", bytes("RIFF____WAVEfmt "), "audio/wav"],
    ["Ogg", bytes("OggS____"), "audio/ogg"],
    ["FLAC", bytes("fLaC____"), "audio/flac"],
    ["MP4", bytes("\0\0\0\x18ftypM4A "), "audio/mp4"],
    ["AAC", bytes("\xff\xf1\x50\x80"), "audio/aac"]
  ] as const) {
    it(`${what} is recognized by its first bytes`, () => assert.strictEqual(typeOf(file), type))
  }

  for (const [what, file] of Object.entries({
    nothing: "",
    JSON: '{"error": "no"}',
    "a page": "<!doctype html>",
    "one byte": "\xff",
    "RIFF that is no WAVE": "RIFF____AVI "
  })) {
    it(`${what} is no audio`, () => assert.isNull(typeOf(bytes(file))))
  }

  it("joined files lack the tags and counts of the single files", () => {
    const first = concat(id3(200), infoFrame(), frame(1), frame(2), oldTag())
    const second = concat(id3(5), id3(300), infoFrame(), frame(3))
    const third = concat(frame(4), frame(5))
    assert.deepStrictEqual(joinMp3([first, second, third]), concat(frame(1), frame(2), frame(3), frame(4), frame(5)))
  })

  it("bytes that are no MP3, or end within a tag, are dropped", () => {
    assert.deepStrictEqual(joinMp3([bytes("noise")]), bytes("noise"))
    assert.strictEqual(joinMp3([id3(200).subarray(0, 50)]).byteLength, 0)
  })
})
