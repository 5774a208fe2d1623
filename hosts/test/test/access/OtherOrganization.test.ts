/** Tests that the response for another organization's resource equals the response for an unknown id, byte for byte. */

import { assert, it } from "@effect/vitest"
import * as InMemory from "@partner-commentary/test/InMemory"
import * as Seed from "@partner-commentary/test/Seed"
import { TestApi } from "@partner-commentary/test/TestApi"
import * as Effect from "effect/Effect"
import { readJson } from "../support/Json.ts"

const unknown = "019c0e1b-7c4e-7000-8000-2f6d1c9e4b10"

it.effect(
  "a request for a topic of another organization or environment gets exactly the same 404 response as for an unknown topic",
  () =>
    Effect.gen(function* () {
      const { call } = yield* TestApi
      const mine = yield* Seed.createOrganization({ name: "Mine" })
      const theirs = yield* Seed.createOrganization({ name: "Theirs" })
      const persona = yield* Seed.createPersona(theirs)
      const body = {
        content: "Whose topic is this one?",
        persona_ids: [persona.id],
        external_reference: "their-reference"
      }
      const live = yield* Seed.issueApiKey(theirs)
      const created = yield* call("/partner/v1/topics", { method: "POST", key: live.text, body })
      const { data } = yield* readJson(created)

      const strangers = [yield* Seed.issueApiKey(mine), yield* Seed.issueApiKey(theirs, { environment: "test" })]
      const bytes = (path: string, key: string, method = "GET") =>
        Effect.gen(function* () {
          const response = yield* call(`/partner/v1${path}`, { method, key, headers: { "x-request-id": "same" } })
          const text = yield* Effect.promise(() => response.text())
          // The values of the rate-limit headers differ between responses, because each call counts toward the rate
          // limit.
          const headers = [...response.headers].filter(
            ([name]) => !["ratelimit", "x-ratelimit-remaining"].includes(name)
          )
          return JSON.stringify([response.status, headers, text])
        })
      for (const { text: key } of strangers) {
        for (const path of ["", "/status", "/commentaries"]) {
          const other = yield* bytes(`/topics/${data.topic_id}${path}`, key)
          assert.strictEqual(other, yield* bytes(`/topics/${unknown}${path}`, key))
          assert.strictEqual(other, yield* bytes(`/topics/not-an-id${path}`, key))
          assert.include(other, "not_found")
        }
        for (const commentary of [unknown, "not-an-id"]) {
          const approve = (topic: string) => bytes(`/topics/${topic}/commentaries/${commentary}/approve`, key, "POST")
          assert.strictEqual(yield* approve(data.topic_id), yield* approve(unknown))
          assert.include(yield* approve(data.topic_id), "Topic not found.")
        }
        const reference = yield* bytes("/topics/by-reference/their-reference", key)
        const nobodys = yield* bytes("/topics/by-reference/nones-reference", key)
        assert.strictEqual(reference.replace("their-reference", "nones-reference"), nobodys)
        assert.include(reference, "not_found")
        const list = yield* call("/partner/v1/topics", { key })
        const listed = yield* readJson(list)
        assert.deepStrictEqual([listed.data, listed.pagination.total], [[], 0])
      }
      const own = yield* call(`/partner/v1/topics/${data.topic_id}`, { key: live.text })
      assert.strictEqual(own.status, 200)
    }).pipe(Effect.provide(InMemory.layer))
)
