/** Audio and video over the whole service, on a clock that moves on command: made after approval, and never in the way of the text. */
import { assert, it } from "@effect/vitest"
import type { MediaKind } from "@partner-commentary/core/commentary/MediaSynthesizer"
import * as Application from "@partner-commentary/test/Application"
import { Mailbox } from "@partner-commentary/test/Mailbox"
import { ScriptedGenerator } from "@partner-commentary/test/ScriptedGenerator"
import { ScriptedMedia } from "@partner-commentary/test/ScriptedMedia"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { webhookOf } from "./DeliveryCalls.ts"
import { eventually } from "./Eventually.ts"
import { act, get, reached, submit, tokenFor } from "./Requests.ts"

const start = Date.parse("2026-03-01T09:00:00.000Z")
const content = "Who takes the title this season?"
const said = "They will win it."

const mounting = (...kinds: ReadonlyArray<MediaKind>) =>
  TestApi.layerMemory.pipe(
    Layer.provideMerge(TestApi.workers),
    Layer.provideMerge(
      Application.layer({
        outside: Layer.mergeAll(Mailbox.layer, ScriptedGenerator.layer, ScriptedMedia.layer(...kinds))
      })
    )
  )

/** A topic with these output types whose creator approved. */
const approved = Effect.fnUntraced(function* (...outputTypes: ReadonlyArray<string>) {
  yield* TestClock.setTime(start)
  const owner = yield* Seed.organization()
  const persona = yield* Seed.persona(owner)
  const { text: key } = yield* Seed.key(owner)
  yield* webhookOf(key, ["creator.approved"])
  const topicId = yield* submit(key, content, [persona], {
    external_reference: "title",
    ...(outputTypes.length === 0 ? {} : { output_types: outputTypes })
  })
  const token = yield* tokenFor(persona, content)
  yield* act(token, "respond", { perspective: "They will win it, and by some distance." })
  yield* reached(key, topicId, persona, "commentary_generated")
  yield* act(token, "approve", { content: said })
  const entry = Effect.map(get(key, `/topics/${topicId}/commentaries`), ({ data }) => data.commentaries[0])
  const urls = Effect.map(entry, ({ audio_url, video_url }) => ({ audio: audio_url, video: video_url }))
  const ready = (kind: MediaKind) =>
    eventually(
      `the ${kind}`,
      Effect.map(urls, (seen) => seen[kind] ?? undefined)
    )
  const asked = (count: number) =>
    Effect.gen(function* () {
      const media = yield* ScriptedMedia
      yield* eventually(
        `attempt ${count}`,
        Effect.map(media.requests, ({ length }) => (length >= count ? length : undefined))
      )
    })
  return { asked, entry, key, persona, ready, token, topicId, urls }
})

it.effect("the approved text is spoken, and its URL is shown in every view", () =>
  Effect.gen(function* () {
    const media = yield* ScriptedMedia
    const { entry, key, persona, ready, topicId } = yield* approved("audio")
    const url: string = yield* ready("audio")
    assert.match(url, /^https:\/\/media\.example\.org\/[0-9A-Za-z]{32}\.mp3$/)
    assert.deepStrictEqual(yield* media.requests, [
      { kind: "audio", text: said, persona: { id: persona.id, name: persona.name } }
    ])
    const name = url.split("/").at(-1) ?? ""
    const stored = (yield* media.stored).get(name)
    assert.strictEqual(new TextDecoder().decode(stored?.bytes), `audio of ${persona.name}: ${said}`)
    assert.deepInclude(yield* entry, { content: said, audio_url: url, video_url: null })
    for (const path of [`/topics/${topicId}`, "/topics/by-reference/title"]) {
      const [first] = (yield* get(key, path)).data.commentaries
      assert.deepInclude(first.commentary, { content: said, audio_url: url, video_url: null })
    }
  }).pipe(Effect.provide(mounting("audio", "video")))
)
