/**
 * Tests the adapters for drafts, speech and buckets against a test server. The bundle loads the adapters for drafts,
 * speech and buckets on demand.
 */
import { createServer } from "node:http"
import { afterAll, beforeAll, expect, it } from "vitest"
import { invokeSchedule, requestTopicCommentaries, submitCreatorAction, submitTopic } from "../test/Calls.ts"
import * as Deployment from "../test/Deployment.ts"
import * as Emulator from "../test/Emulator.ts"

let bundle: Awaited<ReturnType<typeof Deployment.makeBundle>>
let seed: Deployment.SeededDatabase
beforeAll(async () => {
  ;[bundle, seed] = await Promise.all([Deployment.makeBundle(), Deployment.seedSqliteDatabase()])
})
afterAll(() => Promise.all([bundle.remove(), seed.remove()]))

const speech = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(500, 1)])

/** Starts a test server that returns drafts and speech, and stores the files that the server receives. */
const everything = async (test: Parameters<typeof Deployment.makeTemporaryFolder>[0]) => {
  const kept = new Map<string, Buffer>()
  const server = createServer(async (request, response) => {
    const { method, url = "" } = request
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    if (method === "PUT") kept.set(url, Buffer.concat(chunks))
    const message = { role: "assistant", content: "They will, and by a wide margin." }
    if (url === "/v1/audio/speech") response.end(speech)
    else if (url === "/v1/chat/completions") {
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ choices: [{ finish_reason: "stop", message }] }))
    } else response.writeHead(method === "PUT" ? 200 : 404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  test.onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return { kept, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` }
}

it("the bundle uses a generator server, a speech server and a bucket", async (test) => {
  const { kept, url } = await everything(test)
  const post = await Deployment.startMailServer(test)
  const { key, persona, url: database } = await seed.copy(test)
  const env = {
    ...Deployment.makeLambdaEnvironment(database, post.url),
    GENERATOR_URL: `${url}/v1`,
    GENERATOR_MODEL: "writer-1",
    SPEECH_URL: `${url}/v1`,
    SPEECH_MODEL: "speaker-1",
    SPEECH_VOICE: "alto",
    MEDIA_S3_URL: `${url}/bucket`,
    MEDIA_PUBLIC_URL: "https://media.example",
    MEDIA_S3_ACCESS_KEY_ID: "AKIDEXAMPLE",
    MEDIA_S3_SECRET_ACCESS_KEY: "secret"
  }
  const container = await Emulator.startContainer(bundle.folder, env, test)
  const content = "Will the Lakers make the play-offs?"
  const created = await submitTopic(container, key, { content, persona_ids: [persona.id], output_types: ["audio"] })
  await invokeSchedule(container)
  await submitCreatorAction(container, post.received[0], "respond", { perspective: "They will, easily." })
  await invokeSchedule(container)
  await submitCreatorAction(container, post.received[1], "approve", {})
  expect(await invokeSchedule(container)).toMatchObject({ answer: { more_due: false } })
  const [entry] = (await requestTopicCommentaries(container, key, created.json().data.topic_id)).json().data
    .commentaries
  expect(entry.content).toBe("They will, and by a wide margin.")
  const name = /^https:\/\/media\.example\/([0-9A-Za-z]{32}\.mp3)$/.exec(entry.audio_url)?.[1]
  expect(kept.get(`/bucket/${name}`)).toEqual(speech)
})
