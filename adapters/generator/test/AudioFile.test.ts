import { assert, describe, it } from "@effect/vitest"
import { audioTypeOf, joinMp3 } from "@partner-commentary/generator/AudioFile"
import { concatBytes, id3Tag, id3v1Tag, mp3Frame, mp3InfoFrame } from "./Mp3.ts"

const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))

describe("Audio files", () => {
  for (const [what, file, type] of [
    ["MP3 by its tag", id3Tag(10), "audio/mpeg"],
    ["MP3 by its frame", mp3Frame(0), "audio/mpeg"],
    ["WAV", bytes("RIFF____WAVEfmt "), "audio/wav"],
    ["Ogg", bytes("OggS____"), "audio/ogg"],
    ["FLAC", bytes("fLaC____"), "audio/flac"],
    ["MP4", bytes("\0\0\0\x18ftypM4A "), "audio/mp4"],
    ["AAC", bytes("\xff\xf1\x50\x80"), "audio/aac"]
  ] as const) {
    it(`${what} is recognized by its first bytes`, () => assert.strictEqual(audioTypeOf(file), type))
  }

  for (const [what, file] of Object.entries({
    nothing: "",
    JSON: '{"error": "no"}',
    "a page": "<!doctype html>",
    "one byte": "\xff",
    "RIFF that is no WAVE": "RIFF____AVI "
  })) {
    it(`${what} is not recognized as audio`, () => assert.isNull(audioTypeOf(bytes(file))))
  }

  it("a joined MP3 file contains neither the tags nor the frame counts of the original files", () => {
    const first = concatBytes(id3Tag(200), mp3InfoFrame(), mp3Frame(1), mp3Frame(2), id3v1Tag())
    const second = concatBytes(id3Tag(5), id3Tag(300), mp3InfoFrame(), mp3Frame(3))
    const third = concatBytes(mp3Frame(4), mp3Frame(5))
    assert.deepStrictEqual(
      joinMp3([first, second, third]),
      concatBytes(mp3Frame(1), mp3Frame(2), mp3Frame(3), mp3Frame(4), mp3Frame(5))
    )
  })

  it("joining keeps bytes that are not MP3 unchanged, and drops a tag that is cut off", () => {
    assert.deepStrictEqual(joinMp3([bytes("noise")]), bytes("noise"))
    assert.strictEqual(joinMp3([id3Tag(200).subarray(0, 50)]).byteLength, 0)
  })
})
