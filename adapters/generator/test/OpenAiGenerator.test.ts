import { assert, describe, it } from "@effect/vitest"
import {
  type CommentaryGenerationRequest,
  CommentaryGenerator
} from "@partner-commentary/core/commentary/CommentaryGenerator"
import * as OpenAiGenerator from "@partner-commentary/generator/OpenAiGenerator"
import * as Prompt from "@partner-commentary/generator/Prompt"
import * as CommentaryGeneratorSuite from "@partner-commentary/testkit/CommentaryGeneratorSuite"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import {
  advanceClockAfterRequest,
  makeChatCompletion,
  makeJsonResponse,
  type ScriptedResponse,
  type ScriptedServer,
  startScriptedServer,
  waitUntil
} from "./Server.ts"

const key = "sk-test-1234567890abcdef"

const request: CommentaryGenerationRequest = {
  persona: { name: "Ada", bio: "Former goalkeeper", expertise: ["football"] },
  topic: "Should the league play in summer?",
  perspective: "Summer football is easier on the pitches and on the fans."
}

const generate = (server: Pick<ScriptedServer, "url">, options: Partial<OpenAiGenerator.OpenAiGeneratorOptions> = {}) =>
  Effect.flatMap(CommentaryGenerator, (generator) => generator.generate(request)).pipe(
    Effect.provide(
      OpenAiGenerator.layer({ url: server.url, apiKey: Option.some(Redacted.make(key)), model: "writer-1", ...options })
    )
  )

/** The effect `meanwhile` runs at the same time as the call. */
const failure = <E = never>(
  answer: ScriptedResponse,
  options: Partial<OpenAiGenerator.OpenAiGeneratorOptions> = {},
  meanwhile: (server: ScriptedServer) => Effect.Effect<void, E> = () => Effect.void
) =>
  Effect.gen(function* () {
    const server = yield* startScriptedServer(answer)
    const calling = yield* Effect.forkChild(Effect.flip(generate(server, options)))
    yield* meanwhile(server)
    const failed = yield* Fiber.join(calling)
    assert.strictEqual(server.seen.length, 1, "one call is one request")
    assert.notInclude(failed.reason, key.slice(0, 10))
    assert.isAtMost(Array.from(failed.reason).length, 300)
    return { failed, server }
  })

const error = (code: string | null, message = "words", type = "some_error") => ({ error: { message, type, code } })

/** Runs the generator with a local server whose response contains more white space than text. */
const answering = Layer.unwrap(
  Effect.map(
    startScriptedServer(makeJsonResponse(200, makeChatCompletion({ content: " \nThe keeper decides it. 🏆\r\n" }))),
    ({ url }) => OpenAiGenerator.layer({ url, apiKey: Option.some(Redacted.make(key)), model: "writer-1" })
  )
)

CommentaryGeneratorSuite.suite("OpenAiGenerator", answering)

describe("OpenAI generator", () => {
  it.live("the OpenAI generator sends the request with the key, and returns the model's text", () =>
    Effect.gen(function* () {
      const server = yield* startScriptedServer(
        makeJsonResponse(200, makeChatCompletion({ content: "  I like summer football. \r\n" }))
      )
      assert.strictEqual(yield* generate(server), "I like summer football.")
      const [call] = server.seen
      assert.strictEqual(`${call?.method} ${call?.path}`, "POST /v1/chat/completions")
      assert.strictEqual(call?.headers.authorization, `Bearer ${key}`)
      assert.deepStrictEqual(JSON.parse(call?.body ?? ""), {
        model: "writer-1",
        messages: Prompt.makePromptMessages(request)
      })
    })
  )

  it.live(
    "the OpenAI generator sends no credentials without a key, and accepts a base URL that ends with a slash",
    () =>
      Effect.gen(function* () {
        const server = yield* startScriptedServer(makeJsonResponse(200, makeChatCompletion({ content: "Yes." })))
        yield* generate({ url: `${server.url}/` }, { apiKey: Option.none() })
        yield* generate(server, { apiKey: Option.some(Redacted.make("")) })
        for (const call of server.seen) {
          assert.isUndefined(call.headers.authorization)
          assert.strictEqual(call.path, "/v1/chat/completions")
        }
      })
  )

  for (const status of [302, 307, 400, 401, 403, 404, 405, 413, 422]) {
    it.live(`a ${status} response is a permanent failure`, () =>
      Effect.gen(function* () {
        const { failed } = yield* failure(makeJsonResponse(status, error(null), { location: "http://127.0.0.1:9/" }))
        assert.isTrue(failed.permanent)
        assert.include(failed.reason, String(status))
      })
    )
  }

  for (const status of [402, 408, 409, 429, 500, 502, 503, 529]) {
    it.live(`a ${status} response is a temporary failure and is not retried within the call`, () =>
      Effect.gen(function* () {
        const { failed } = yield* failure(
          makeJsonResponse(status, error("busy"), { "retry-after-ms": "1", "x-should-retry": "true" })
        )
        assert.isFalse(failed.permanent)
        assert.include(failed.reason, String(status))
      })
    )
  }

  const permanent: Record<string, ScriptedResponse> = {
    "a content-policy code under any status": makeJsonResponse(500, error("content_policy_violation")),
    "a content-policy type": makeJsonResponse(429, error(null, "words", "content_filter")),
    "a filtered answer": makeJsonResponse(200, makeChatCompletion({ content: "Half of" }, "content_filter")),
    "a refusal by the model": makeJsonResponse(
      200,
      makeChatCompletion({ content: null, refusal: "I cannot write this." })
    ),
    "an error inside a 200 with a permanent status": makeJsonResponse(200, { error: { code: 401, message: key } })
  }
  for (const [name, answer] of Object.entries(permanent)) {
    it.live(`a response with ${name} is a permanent failure`, () =>
      Effect.map(failure(answer), ({ failed }) => assert.isTrue(failed.permanent, failed.reason))
    )
  }

  const temporary: Record<string, ScriptedResponse> = {
    "an error inside a 200": makeJsonResponse(200, { error: { code: 502, message: "upstream" } }),
    "an error inside a 200 whose number is no status": makeJsonResponse(200, {
      error: { code: 17, message: "upstream" }
    }),
    "an answer cut off by the model's limit": makeJsonResponse(
      200,
      makeChatCompletion({ content: "Half of" }, "length")
    ),
    "an empty answer": makeJsonResponse(200, makeChatCompletion({ content: " \n " })),
    "an answer without content": makeJsonResponse(200, makeChatCompletion({ content: null })),
    "an over-long answer": makeJsonResponse(200, makeChatCompletion({ content: "é".repeat(5001) })),
    "an answer without choices": makeJsonResponse(200, { choices: [] }),
    "an answer of another shape": makeJsonResponse(200, { choices: [{ message: { content: 7 } }] }),
    "an empty body": makeJsonResponse(200, ""),
    "no content": (response) => response.writeHead(204).end(),
    "garbage JSON": makeJsonResponse(200, `{"choices": [${key}`),
    "a page instead of JSON": makeJsonResponse(200, "<html>hello</html>", { "content-type": "text/html" }),
    "a connection that breaks before the answer": (response) => response.destroy(),
    "a connection that breaks within the answer": (response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
      response.write('{"choices":', () => response.destroy())
    }
  }
  for (const [name, answer] of Object.entries(temporary)) {
    it.live(`a response with ${name} is a temporary failure`, () =>
      Effect.map(failure(answer), ({ failed }) => assert.isFalse(failed.permanent, failed.reason))
    )
  }

  it.live("an unreachable server is a temporary failure, and the reason contains the connection error", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(startScriptedServer(() => {}))
      const failed = yield* Effect.flip(generate(gone))
      assert.isFalse(failed.permanent)
      assert.include(failed.reason, "ECONNREFUSED")
    })
  )

  it.live("the error for a response that is not JSON does not quote the response", () =>
    Effect.map(failure(makeJsonResponse(200, "{oops")), ({ failed }) =>
      assert.strictEqual(failed.reason, "the answer is not JSON")
    )
  )

  it.live("a key that the server quotes never appears in a reason, even if the reason is shortened", () =>
    Effect.gen(function* () {
      for (const before of [0, ...Array.from({ length: 26 }, (_, step) => 210 + 3 * step)]) {
        const message = `${"x".repeat(before)} ${key} ${"y".repeat(500)}`
        yield* failure(makeJsonResponse(400, error(key, message)))
        yield* failure(makeJsonResponse(401, error(null, message)))
        yield* failure(makeJsonResponse(500, { error: message }))
        yield* failure(makeJsonResponse(200, makeChatCompletion({ content: null, refusal: message })))
      }
    })
  )

  it.live(
    "if the server refuses the key, the reason does not quote the server, which may have repeated a part of the key",
    () =>
      Effect.gen(function* () {
        const { failed } = yield* failure(
          makeJsonResponse(401, error("invalid_api_key", "Incorrect API key: sk-te***cdef"))
        )
        assert.notInclude(failed.reason, "cdef")
        assert.include(failed.reason, "invalid_api_key")
      })
  )

  it.effect("a request to a server that hangs is aborted after the time limit", () =>
    Effect.gen(function* () {
      const timeout = Duration.millis(200)
      const { failed, server } = yield* failure(() => {}, { timeout }, advanceClockAfterRequest(timeout))
      assert.isFalse(failed.permanent)
      assert.include(failed.reason, "no answer within 200ms")
      yield* waitUntil(() => server.closed() === 1)
    })
  )

  it.effect("a server that responds slowly cannot extend the time limit", () =>
    Effect.gen(function* () {
      const timeout = Duration.millis(300)
      const { failed, server } = yield* failure(
        (response) => {
          response.writeHead(200, { "content-type": "application/json" })
          const timer = setInterval(() => response.write(" "), 20)
          response.on("close", () => clearInterval(timer))
        },
        { timeout },
        advanceClockAfterRequest(timeout)
      )
      assert.include(failed.reason, "no answer within 300ms")
      yield* waitUntil(() => server.closed() === 1)
    })
  )

  for (const status of [200, 500]) {
    it.live(`a 64 MiB answer with status ${status} is not read to its end`, () =>
      Effect.gen(function* () {
        let sent = 0
        const chunk = " ".repeat(64 * 1024)
        const { failed, server } = yield* failure((response) => {
          response.writeHead(status, { "content-type": "application/json" })
          const pump = () => {
            while (sent < 64 * 1024 * 1024 && !response.destroyed) {
              sent += chunk.length
              if (!response.write(chunk)) return void response.once("drain", pump)
            }
            response.end()
          }
          pump()
        })
        assert.isFalse(failed.permanent)
        if (status === 200) assert.include(failed.reason, "larger than 1048576 bytes")
        yield* waitUntil(() => server.closed() === 1)
        assert.isBelow(sent, 16 * 1024 * 1024)
      })
    )
  }

  for (const [name, answer] of Object.entries<ScriptedResponse>({
    "before the answer": () => {},
    "within the answer": (response) => {
      response.writeHead(200, { "content-type": "application/json" })
      response.write('{"choices":')
    }
  })) {
    it.live(`an interruption ${name} aborts the request`, () =>
      Effect.gen(function* () {
        const server = yield* startScriptedServer(answer)
        const fiber = yield* Effect.forkChild(generate(server))
        yield* waitUntil(() => server.seen.length === 1)
        yield* Effect.sleep("100 millis")
        assert.strictEqual(server.closed(), 0)
        yield* Fiber.interrupt(fiber)
        yield* waitUntil(() => server.closed() === 1)
      })
    )
  }
})
