/**
 * Tests lists: an awaited list resolves with its first page, an iterated list returns all items, and pages are fetched
 * on demand.
 */
import { ApiError } from "@partner-commentary/client"
import { expect, it } from "vitest"
import {
  catchRejection,
  makeErrorResponse,
  makeJsonResponse,
  makeScriptedService,
  type ScriptedResponse
} from "./ScriptedService.ts"

const page = (ids: ReadonlyArray<string>, next: string | null): ScriptedResponse =>
  makeJsonResponse(200, {
    success: true,
    data: ids.map((topic_id) => ({ topic_id })),
    pagination: { limit: 2, offset: 0, total: 5, next_cursor: next }
  })

const three = [page(["a", "b"], "one"), page(["c", "d"], "two"), page(["e"], null)]

it("an awaited list resolves with a page and the total of the list", async () => {
  const { asked, client } = makeScriptedService(three)
  const { data, pagination } = await client.topics.list({ limit: 2 })
  expect(data.map((topic) => topic.topic_id)).toEqual(["a", "b"])
  expect(pagination).toEqual({ limit: 2, offset: 0, total: 5, next_cursor: "one" })
  expect(asked).toHaveLength(1)
})

it("an iterated list returns the topics of all pages, and requests each page by cursor with the same filter", async () => {
  const { asked, client } = makeScriptedService(three)
  const ids: Array<string> = []
  for await (const topic of client.topics.list({ status: "completed", limit: 2, offset: 4 })) ids.push(topic.topic_id)
  expect(ids).toEqual(["a", "b", "c", "d", "e"])
  expect(asked.map(({ url }) => new URL(url).search)).toEqual([
    "?status=completed&limit=2&offset=4",
    "?status=completed&limit=2&cursor=one",
    "?status=completed&limit=2&cursor=two"
  ])
})

it("a loop that ends early fetches no further page", async () => {
  const { asked, client } = makeScriptedService(three)
  for await (const topic of client.topics.list()) if (topic.topic_id === "b") break
  expect(asked).toHaveLength(1)
})

it("a list sends no request before it is used, and fetches the first page once", async () => {
  const { asked, client } = makeScriptedService(three)
  const listing = client.topics.list()
  expect(asked).toHaveLength(0)
  await listing
  await listing
  for await (const { data } of listing.pages()) expect(data.length).toBeGreaterThan(0)
  expect(asked.map(({ url }) => new URL(url).search)).toEqual(["", "?cursor=one", "?cursor=two"])
})

it("a loop over a list rejects if a page fails", async () => {
  const { client } = makeScriptedService([page(["a"], "one"), makeErrorResponse(401, "key_revoked")])
  const seen: Array<string> = []
  const walk = async () => {
    for await (const topic of client.topics.list()) seen.push(topic.topic_id)
  }
  expect(await catchRejection(walk())).toMatchObject({ code: "key_revoked" })
  expect(seen).toEqual(["a"])
})

it("an awaited list rejects if the first page fails", async () => {
  const { client } = makeScriptedService([makeErrorResponse(401, "key_revoked")])
  expect(await client.topics.list().catch((error: unknown) => error instanceof ApiError && error.code)).toBe(
    "key_revoked"
  )
})
