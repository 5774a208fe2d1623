/** Tests audio with a configured speech server: the files that the process serves, and the doctor's findings. */
import { readdir, writeFile } from "node:fs/promises"
import type { ServerResponse } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import * as Loopback from "../../test/support/Loopback.ts"
import * as Partner from "../../test/support/Partner.ts"
import * as Process from "../../test/support/Process.ts"

const speech = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(5000, 1)])

/** Starts a speech server on loopback that answers every request with the given function. */
const speaking = async (
  test: Process.TestCleanup,
  answer: (response: ServerResponse) => unknown = (response) => response.end(speech)
) => {
  const asked: Array<{ readonly path: string | undefined; readonly body: { readonly input: string } }> = []
  const host = await Loopback.listenOnLoopback(test, (request, response) => {
    if (request.method !== "POST") return void response.writeHead(404).end()
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      asked.push({ path: request.url, body: JSON.parse(Buffer.concat(chunks).toString()) })
      answer(response)
    })
  })
  const env = {
    SPEECH_URL: `http://${host}/v1`,
    SPEECH_MODEL: "speaker-1",
    SPEECH_VOICE: "alto"
  }
  return { asked, env, answerFrom: (next: typeof answer) => (answer = next) }
}

/** Submits a topic that requests audio, and approves the text as the creator. */
const approved = async (service: Process.RunningService) => {
  const { key, persona } = Partner.readDemoCredentials(service)
  const { body } = await Partner.callApi(service.apiRoot, key, "/topics", {
    content: "Who wins the derby on Sunday?",
    persona_ids: [persona.id],
    external_reference: "derby",
    output_types: ["audio"]
  })
  const mails = await Process.pollUntil(
    async () => (await fetch(`${service.apiRoot}/dev/outbox`)).text(),
    (page) => /\/dev\/outbox\/[^"]+/.test(page)
  )
  const mail = await (await fetch(new URL(/\/dev\/outbox\/[^"]+/.exec(mails)?.[0] ?? "", service.apiRoot))).text()
  const link = /http[^"<\s]*\/creator\/[\w.-]+/.exec(mail)?.[0]
  const act = (action: string, given: unknown) =>
    fetch(`${link}/${action}`, {
      method: "POST",
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify(given)
    })
  await act("respond", { perspective: "The keeper decides it." })
  const topic = `/topics/${body.data.topic_id}`
  await Process.pollUntil(
    () => Partner.callApi(service.apiRoot, key, `${topic}/status`),
    (found) => found.body.data.personas[0].status === "commentary_generated"
  )
  await act("approve", { content: "The keeper decides it." })
  const entry = async () =>
    (await Partner.callApi(service.apiRoot, key, `${topic}/commentaries`)).body.data.commentaries[0]
  const reference = await Partner.callApi(service.apiRoot, key, "/topics/by-reference/derby")
  return { entry, shareId: reference.body.data.commentaries[0].share_id as string }
}

/** Sends a GET request with exactly the given target, and returns the raw response. */
const raw = (apiRoot: string, target: string) =>
  new Promise<string>((resolve) => {
    const socket = connect(Number(new URL(apiRoot).port), "127.0.0.1").setEncoding("latin1")
    let answer = ""
    socket.on("data", (text) => {
      answer += text
    })
    socket.on("close", () => resolve(answer))
    socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  })

describe("audio files", () => {
  it("the server at SPEECH_URL makes audio of an approved text, and anyone with the audio file's URL can fetch the file", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { asked, env } = await speaking(test)
    const service = await Process.startService(cwd, ["serve"], env)
    const { entry } = await approved(service)
    const { audio_url: url, content } = await Process.pollUntil(entry, ({ audio_url }) => audio_url !== null)
    expect(asked).toMatchObject([
      { path: "/v1/audio/speech", body: { input: content, model: "speaker-1", voice: "alto" } }
    ])
    expect(url).toMatch(new RegExp(`^${service.apiRoot}/media/[0-9A-Za-z]{32}\\.mp3$`))
    expect(await readdir(join(cwd, "data", "media"))).toEqual([url.split("/").at(-1)])

    const whole = await fetch(url)
    expect(whole.status).toBe(200)
    expect(Buffer.from(await whole.arrayBuffer()).equals(speech)).toBe(true)
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      "content-type": "audio/mpeg",
      "content-length": String(speech.length),
      "accept-ranges": "bytes",
      "cache-control": "public, max-age=86400",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*"
    })
    expect(whole.headers.has("x-ratelimit-limit")).toBe(false)

    const head = await fetch(url, { method: "HEAD" })
    expect([head.status, head.headers.get("content-length")]).toEqual([200, String(speech.length)])
    expect(await head.text()).toBe("")

    const part = await fetch(url, { headers: { range: "bytes=2-5" } })
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 2-5/${speech.length}`])
    expect(Buffer.from(await part.arrayBuffer()).equals(speech.subarray(2, 6))).toBe(true)
    expect((await fetch(url, { headers: { range: "bytes=999999-" } })).status).toBe(416)
    const etag = whole.headers.get("etag") ?? ""
    expect((await fetch(url, { headers: { "if-none-match": etag } })).status).toBe(304)
    for (const method of ["POST", "PUT", "DELETE"]) expect((await fetch(url, { method })).status).toBe(404)

    // The restarted process serves the same files, even without a speech server.
    await service.stop()
    const again = await Process.startService(cwd, ["serve"], { MEDIA_FOLDER: "./data/media" })
    expect((await fetch(url.replace(service.apiRoot, again.apiRoot))).status).toBe(200)
  })

  it("the server refuses requests for folder listings, unknown file names and paths outside the media folder", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const { env } = await speaking(test)
    const { apiRoot } = await Process.startService(cwd, ["serve"], env)
    const name = "A".repeat(32)
    const files = ["private.txt", ".unfinished-1", `${name}.mp3`, `${name}.mp3.bak`]
    for (const file of files) await writeFile(join(cwd, "data", "media", file), "kept here")
    expect(await raw(apiRoot, `/media/${name}.mp3`)).toContain("kept here")
    for (const target of [
      "/media",
      "/media/",
      "/media/.",
      "/media/private.txt",
      "/media/.unfinished-1",
      `/media/${name}.mp3.bak`,
      `/media/${name}.mp3/`,
      `/media/${name}.mp3%00`,
      "/media/../signing-secret",
      "/media/..%2fsigning-secret",
      "/media/%2e%2e%2fsigning-secret",
      "/media/..%5csigning-secret",
      "/media//etc/passwd",
      "/media/%00",
      "/media/%",
      `/MEDIA/${name}.mp3`
    ]) {
      const answer = await raw(apiRoot, target)
      expect(answer, target).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(answer, target).not.toMatch(/kept here|private\.txt|[\w-]{43}\n/)
    }
  })

  it("when the speech server refuses permanently, the text stays available, `doctor` prints the reason without the key, and `media retry` restarts the speech", async (test) => {
    const cwd = await Process.makeWorkingFolder(test)
    const key = "sk-secret-of-this-test"
    const { answerFrom, env } = await speaking(test, (response) =>
      response
        .writeHead(400, { "content-type": "application/json" })
        .end(JSON.stringify({ error: { message: `no such voice for ${key}`, code: "voice_not_found" } }))
    )
    const service = await Process.startService(cwd, ["serve"], { ...env, SPEECH_API_KEY: key })
    const { entry, shareId } = await approved(service)
    const doctor = async () => JSON.parse((await Process.runCommand(cwd, ["doctor", "--json"], env)).stdout)
    const about = (found: { findings: ReadonlyArray<{ check: string }> }) =>
      found.findings.find(({ check }) => check === "media")
    const finding = about(await Process.pollUntil(doctor, (found) => !found.ok))
    expect(finding).toMatchObject({
      state: "mend",
      message: `The audio of ${shareId} finally failed (the server answered 400 (voice_not_found) "no such voice for [key]"): fix the cause, then run partner-commentary media retry ${shareId}.`
    })
    expect(await entry()).toMatchObject({ content: "The keeper decides it.", audio_url: null })
    expect(service.stderr()).not.toContain(key)

    answerFrom((response) => void response.end(speech))
    expect(await Process.runJsonCommand(cwd, ["media", "retry", shareId], env)).toEqual({ restarted: 1 })
    await Process.pollUntil(entry, ({ audio_url }) => audio_url !== null)
    expect(about(await doctor())).toMatchObject({ state: "ok" })
    expect(await Process.runJsonCommand(cwd, ["media", "retry", "--all"], env)).toEqual({ restarted: 0 })
    expect(await Process.runCommand(cwd, ["media", "retry", shareId], env)).toMatchObject({ code: 1 })
    expect(await Process.runCommand(cwd, ["media", "retry"], env)).toMatchObject({ code: 2 })
  })
})
