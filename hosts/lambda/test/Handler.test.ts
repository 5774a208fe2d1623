/** Events of every source, answered by the service in memory. */
import { assert, it } from "@effect/vitest"
import * as Seed from "@partner-commentary/test/Seed"
import * as Effect from "effect/Effect"
import * as Service from "./Service.ts"
import { sources } from "./Sources.ts"

for (const [name, event] of Object.entries(sources)) {
  it.effect(`a topic is taken in and shown: ${name}`, () =>
    Effect.gen(function* () {
      const owner = yield* Seed.organization()
      const persona = yield* Seed.persona(owner)
      const { text: key } = yield* Seed.key(owner)
      const handle = yield* Service.handler
      const ask = (method: string, target: string, body?: string) =>
        Effect.map(
          Effect.promise(() =>
            handle(
              event({
                method,
                target,
                headers: [
                  ["X-Api-Key", key],
                  ["Content-Type", "application/json"]
                ],
                ...(body === undefined ? {} : { body })
              }),
              Service.minute
            )
          ),
          (answer) => {
            const { bytes, ...rest } = Service.told(answer)
            return { ...rest, text: bytes.toString() }
          }
        )
      const created = yield* ask(
        "POST",
        "/partner/v1/topics",
        JSON.stringify({
          content: "Will the Lakers make the play-offs?",
          persona_ids: [persona.id],
          external_reference: "a:b"
        })
      )
      assert.strictEqual(created.status, 201, created.text)
      const shown = yield* ask("GET", "/partner/v1/topics/by-reference/a%3Ab?x=1&x=2")
      assert.strictEqual(shown.status, 200, shown.text)
      assert.strictEqual(JSON.parse(shown.text).data.topic_id, JSON.parse(created.text).data.topic_id)
      assert.strictEqual(shown.headers["content-type"], "application/json")
      assert.match(shown.headers["x-request-id"] ?? "", /^[\w-]{36}$/)
      yield* Effect.promise(handle.dispose)
    }).pipe(Effect.provide(Service.layer))
  )
}
