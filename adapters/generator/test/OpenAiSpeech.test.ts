import { assert, describe, it } from "@effect/vitest"
import { MediaSynthesizer } from "@partner-commentary/core/commentary/MediaSynthesizer"
import * as OpenAiSpeech from "@partner-commentary/generator/OpenAiSpeech"
import * as MediaSynthesizerSuite from "@partner-commentary/testkit/MediaSynthesizerSuite"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { concatBytes, makeId3Tag, makeMp3Frame, makeMp3InfoFrame } from "./Mp3.ts"
import {
  advanceClockAfterRequest,
  makeJsonResponse,
  type ScriptedResponse,
  type ScriptedServer,
  startScriptedServer,
  waitUntil
} from "./Server.ts"

const key = "sk-test-1234567890abcdef"

const said = "Summer football is easier on the pitches and on the fans."

const speech = concatBytes(makeId3Tag(30), makeMp3InfoFrame(), makeMp3Frame(1), makeMp3Frame(2))

const audio =
  (bytes: Uint8Array, headers: Record<string, string> = {}): ScriptedResponse =>
  (response) => {
    response.writeHead(200, { "content-type": "audio/mpeg", ...headers })
    response.end(bytes)
  }

const options = (
  server: Pick<ScriptedServer, "url">,
  more: Partial<OpenAiSpeech.OpenAiSpeechOptions> = {}
): OpenAiSpeech.OpenAiSpeechOptions => ({
  url: server.url,
  apiKey: Option.some(Redacted.make(key)),
  model: "speaker-1",
  voice: "alto",
  ...more
})

const speak = (
  server: Pick<ScriptedServer, "url">,
  more: Partial<OpenAiSpeech.OpenAiSpeechOptions> = {},
  text = said
) =>
  Effect.flatMap(
    MediaSynthesizer,
    ({ audio }) => audio?.({ text, persona: { id: "1", name: "Ada" } }) ?? assert.fail("none is mounted")
  ).pipe(Effect.provide(OpenAiSpeech.layer(options(server, more))))

/** The effect `meanwhile` runs at the same time as the call. */
const failure = <E = never>(
  answer: ScriptedResponse,
  more: Partial<OpenAiSpeech.OpenAiSpeechOptions> = {},
  text = said,
  meanwhile: (server: ScriptedServer) => Effect.Effect<void, E> = () => Effect.void
) =>
  Effect.gen(function* () {
    const server = yield* startScriptedServer(answer)
    const calling = yield* Effect.forkChild(Effect.flip(speak(server, more, text)))
    yield* meanwhile(server)
    const failed = yield* Fiber.join(calling)
    assert.notInclude(failed.reason, key.slice(0, 10))
    assert.isAtMost(Array.from(failed.reason).length, 300)
    return { failed, server }
  })

const error = (code: string | null, message = "words") => ({ error: { message, type: "some_error", code } })

MediaSynthesizerSuite.suite(
  "OpenAiSpeech",
  "audio",
  Layer.unwrap(Effect.map(startScriptedServer(audio(speech)), (server) => OpenAiSpeech.layer(options(server))))
)

describe("OpenAI speech", () => {
  it.live("OpenAI speech sends text, model and voice with the key, and returns every byte of the audio", () =>
    Effect.gen(function* () {
      const server = yield* startScriptedServer(audio(speech))
      const { bytes, contentType } = yield* speak(server)
      assert.strictEqual(contentType, "audio/mpeg")
      assert.deepStrictEqual(bytes, speech)
      const [call] = server.seen
      assert.strictEqual(`${call?.method} ${call?.path}`, "POST /v1/audio/speech")
      assert.strictEqual(call?.headers.authorization, `Bearer ${key}`)
      assert.deepStrictEqual(JSON.parse(call?.body ?? ""), {
        model: "speaker-1",
        voice: "alto",
        input: said,
        response_format: "mp3"
      })
      assert.lengthOf(server.seen, 1)
    })
  )

  it.live("OpenAI speech sends no credentials without a key, and accepts a base URL that ends with a slash", () =>
    Effect.gen(function* () {
      const server = yield* startScriptedServer(audio(speech))
      yield* speak({ url: `${server.url}/` }, { apiKey: Option.none() })
      assert.isUndefined(server.seen[0]?.headers.authorization)
      assert.strictEqual(server.seen[0]?.path, "/v1/audio/speech")
    })
  )

  it.live("a text beyond the server's limit is spoken in parts, which are joined to one file in order", () =>
    Effect.gen(function* () {
      const sentences = Array.from({ length: 250 }, (_, index) => `This is sentence number ${index}.`)
      const server = yield* startScriptedServer((response, { body }) => {
        const { input } = JSON.parse(body)
        assert.isAtMost(input.length, 4096)
        const isFirst = input.startsWith("This is sentence number 0.")
        setTimeout(
          () =>
            audio(concatBytes(makeId3Tag(9), makeMp3InfoFrame(), makeMp3Frame(isFirst ? 1 : 2)))(
              response,
              server.seen[0]!
            ),
          isFirst ? 100 : 0
        )
      })
      const { bytes, contentType } = yield* speak(server, {}, sentences.join(" "))
      assert.strictEqual(contentType, "audio/mpeg")
      assert.isAtLeast(server.seen.length, 2)
      const asked = server.seen.map(({ body }) => JSON.parse(body).input as string)
      assert.strictEqual(
        asked
          .toSorted(
            (one, other) => sentences.indexOf(`${one.split(".")[0]}.`) - sentences.indexOf(`${other.split(".")[0]}.`)
          )
          .join(" "),
        sentences.join(" ")
      )
      assert.deepStrictEqual(bytes, concatBytes(makeMp3Frame(1), ...server.seen.slice(1).map(() => makeMp3Frame(2))))
    })
  )

  it.live("an audio file in another format is recognized by its bytes if the text has only one part", () =>
    Effect.gen(function* () {
      const wav = new Uint8Array(Buffer.from("RIFF____WAVEfmt ", "latin1"))
      const server = yield* startScriptedServer(audio(wav))
      assert.deepStrictEqual(yield* speak(server), { contentType: "audio/wav", bytes: wav })
      const failed = yield* Effect.flip(speak(server, {}, "They win. ".repeat(450)))
      assert.isTrue(failed.permanent)
      assert.include(failed.reason, "audio/wav")
    })
  )

  for (const status of [302, 400, 401, 403, 404, 413, 422]) {
    it.live(`a ${status} response is a permanent failure`, () =>
      Effect.gen(function* () {
        const { failed, server } = yield* failure(
          makeJsonResponse(status, error(null), { location: "http://127.0.0.1:9/" })
        )
        assert.isTrue(failed.permanent)
        assert.include(failed.reason, String(status))
        assert.lengthOf(server.seen, 1)
      })
    )
  }

  for (const status of [402, 408, 429, 500, 503]) {
    it.live(`a ${status} response is a temporary failure and is not retried within the call`, () =>
      Effect.gen(function* () {
        const { failed, server } = yield* failure(makeJsonResponse(status, error("busy"), { "retry-after-ms": "1" }))
        assert.isFalse(failed.permanent)
        assert.include(failed.reason, String(status))
        assert.lengthOf(server.seen, 1)
      })
    )
  }

  const temporary: Record<string, ScriptedResponse> = {
    "an empty answer": audio(new Uint8Array()),
    "no content": (response) => response.writeHead(204).end(),
    "JSON instead of audio": makeJsonResponse(200, { audio: "AAAA" }),
    "a page instead of audio": makeJsonResponse(200, "<html>hello</html>", { "content-type": "text/html" }),
    "a connection that breaks before the answer": (response) => response.destroy(),
    "a connection that breaks within the answer": (response) => {
      response.writeHead(200, { "content-type": "audio/mpeg", "content-length": "5000" })
      response.write(speech, () => response.destroy())
    }
  }
  for (const [name, answer] of Object.entries(temporary)) {
    it.live(`a response with ${name} is a temporary failure`, () =>
      Effect.map(failure(answer), ({ failed }) => assert.isFalse(failed.permanent, failed.reason))
    )
  }

  it.live("a failed part fails the whole call and aborts the requests of the other parts", () =>
    Effect.gen(function* () {
      let first = true
      const { failed, server } = yield* failure(
        (response, seen) => {
          if (!first) return makeJsonResponse(503, error("busy"))(response, seen)
          first = false
        },
        {},
        "They win. ".repeat(450)
      )
      assert.isFalse(failed.permanent)
      yield* waitUntil(() => server.closed() === 1)
    })
  )

  it.live("an unreachable server is a temporary failure, and the reason contains the connection error", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(startScriptedServer(() => {}))
      const failed = yield* Effect.flip(speak(gone))
      assert.isFalse(failed.permanent)
      assert.include(failed.reason, "ECONNREFUSED")
    })
  )

  it.live("a key that the server quotes never appears in a reason", () =>
    Effect.gen(function* () {
      yield* failure(makeJsonResponse(400, error(key, `you sent ${key}`)))
      yield* failure(makeJsonResponse(401, error(null, `you sent ${key}`)))
      yield* failure(makeJsonResponse(500, { error: key }))
    })
  )

  it.effect("a request to a server that responds slowly is aborted after the time limit", () =>
    Effect.gen(function* () {
      const timeout = Duration.millis(300)
      const { failed, server } = yield* failure(
        (response) => {
          response.writeHead(200, { "content-type": "audio/mpeg" })
          const timer = setInterval(() => response.write(makeMp3Frame(1)), 20)
          response.on("close", () => clearInterval(timer))
        },
        { timeout },
        said,
        advanceClockAfterRequest(timeout)
      )
      assert.include(failed.reason, "no answer within 300ms")
      yield* waitUntil(() => server.closed() === 1)
    })
  )

  it.live("an audio response beyond 32 MiB is not read to its end", () =>
    Effect.gen(function* () {
      let sent = 0
      const chunk = makeMp3Frame(1)
      const { failed, server } = yield* failure((response) => {
        response.writeHead(200, { "content-type": "audio/mpeg" })
        const pump = () => {
          while (sent < 128 * 1024 * 1024 && !response.destroyed) {
            sent += chunk.length
            if (!response.write(chunk)) return void response.once("drain", pump)
          }
          response.end()
        }
        pump()
      })
      assert.isFalse(failed.permanent)
      assert.include(failed.reason, "larger than 33554432 bytes")
      yield* waitUntil(() => server.closed() === 1)
      assert.isBelow(sent, 64 * 1024 * 1024)
    })
  )

  it.live("an interruption aborts the speech request", () =>
    Effect.gen(function* () {
      const server = yield* startScriptedServer(() => {})
      const fiber = yield* Effect.forkChild(speak(server))
      yield* waitUntil(() => server.seen.length === 1)
      yield* Fiber.interrupt(fiber)
      yield* waitUntil(() => server.closed() === 1)
    })
  )

  it.effect(
    "the OpenAI speech layer replaces only the audio synthesizer, and keeps the synthesizers of other media kinds",
    () =>
      Effect.gen(function* () {
        const video = () => Effect.succeed({ contentType: "video/mp4", bytes: new Uint8Array(1) } as const)
        const mounted = yield* Effect.provide(
          MediaSynthesizer,
          OpenAiSpeech.layer(options({ url: "http://127.0.0.1:9" })).pipe(
            Layer.provide(Layer.succeed(MediaSynthesizer, { audio: null, video }))
          )
        )
        assert.strictEqual(mounted.video, video)
        assert.isFunction(mounted.audio)
      })
  )
})
