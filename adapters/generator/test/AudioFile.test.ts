import { assert, describe, it } from "@effect/vitest"
import { detectAudioType, joinMp3Files } from "@partner-commentary/generator/AudioFile"
import { concatBytes, makeId3Tag, makeId3v1Tag, makeMp3Frame, makeMp3InfoFrame } from "./Mp3.ts"

const bytes = (text: string) => new Uint8Array(Buffer.from(text, "latin1"))

describe("Audio files", () => {
  for (const [what, file, type] of [
    ["MP3 by its tag", makeId3Tag(10), "audio/mpeg"],
    ["MP3 by its frame", makeMp3Frame(0), "audio/mpeg"],
    ["WAV", bytes("RIFF____WAVEfmt "), "audio/wav"],
    ["Ogg", bytes("OggS____"), "audio/ogg"],
    ["FLAC", bytes("fLaC____"), "audio/flac"],
    ["MP4", bytes("\0\0\0\x18ftypM4A "), "audio/mp4"],
    ["AAC", bytes("\xff\xf1\x50\x80"), "audio/aac"]
  ] as const) {
    it(`${what} is recognized by its first bytes`, () => assert.strictEqual(detectAudioType(file), type))
  }

  for (const [what, file] of Object.entries({
    nothing: "",
    JSON: '{"error": "no"}',
    "a page": "<!doctype html>",
    "one byte": "\xff",
    "RIFF that is no WAVE": "RIFF____AVI "
  })) {
    it(`${what} is not recognized as audio`, () => assert.isNull(detectAudioType(bytes(file))))
  }

  it("a joined MP3 file contains neither the tags nor the frame counts of the original files", () => {
    const first = concatBytes(makeId3Tag(200), makeMp3InfoFrame(), makeMp3Frame(1), makeMp3Frame(2), makeId3v1Tag())
    const second = concatBytes(makeId3Tag(5), makeId3Tag(300), makeMp3InfoFrame(), makeMp3Frame(3))
    const third = concatBytes(makeMp3Frame(4), makeMp3Frame(5))
    assert.deepStrictEqual(
      joinMp3Files([first, second, third]),
      concatBytes(makeMp3Frame(1), makeMp3Frame(2), makeMp3Frame(3), makeMp3Frame(4), makeMp3Frame(5))
    )
  })

  it("joining files does not change bytes that are not MP3, and drops a tag that is cut off", () => {
    assert.deepStrictEqual(joinMp3Files([bytes("noise")]), bytes("noise"))
    assert.strictEqual(joinMp3Files([makeId3Tag(200).subarray(0, 50)]).byteLength, 0)
  })
})
