/** Tests of containers that share a database. The container tests run on SQLite and on Postgres. */
import type { HostComparisonRequest } from "@partner-commentary/test/HostRequests"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  invokeSchedule,
  makeApiKeyHeaders,
  makeJsonBody,
  requestTopicCommentaries,
  sendHttpEvent,
  submitCreatorAction,
  submitTopic
} from "./Calls.ts"
import * as Deployment from "./Deployment.ts"
import * as Emulator from "./Emulator.ts"

export const registerContainerSuite = (name: string, seeded: () => Promise<Deployment.SeededDatabase>) => {
  let bundle: Awaited<ReturnType<typeof Deployment.makeBundle>>
  let seed: Deployment.SeededDatabase
  beforeAll(async () => {
    ;[bundle, seed] = await Promise.all([Deployment.makeBundle(), seeded()])
  })
  afterAll(() => Promise.all([bundle.remove(), seed.remove()]))

  describe.concurrent(`a container on ${name}`, () => {
    it("a container runs the whole workflow: requests through a gateway, mails and drafts on a schedule", async (test) => {
      const post = await Deployment.startMailServer(test)
      const { key, persona, url } = await seed.copy(test)
      const container = await Emulator.startContainer(
        bundle.folder,
        Deployment.makeLambdaEnvironment(url, post.url),
        test
      )

      const content = "Will the Lakers make the play-offs?"
      const created = await submitTopic(container, key, { content, persona_ids: [persona.id] })
      expect(created).toMatchObject({ statusCode: 201, isBase64Encoded: false })
      expect(post.received).toHaveLength(0)

      const wait = { target: `/partner/v1/topics/${created.json().data.topic_id}/status`, method: "GET" }
      const polled = await sendHttpEvent(container, {
        ...wait,
        headers: [...makeApiKeyHeaders(key), ["Prefer", "wait=30"]]
      })
      expect(polled.statusCode).toBe(200)
      expect(Object.keys(polled.headers)).not.toContain("preference-applied")

      expect(await invokeSchedule(container)).toEqual({ answer: { taken: 1, more_due: false } })
      const perspective = "They will, but only just."
      expect((await submitCreatorAction(container, post.received[0], "respond", { perspective })).statusCode).toBe(200)
      expect(await invokeSchedule(container)).toMatchObject({ answer: { more_due: false } })
      expect((await submitCreatorAction(container, post.received[1], "approve", {})).statusCode).toBe(200)

      const shown = await requestTopicCommentaries(container, key, created.json().data.topic_id)
      expect(shown.json().data.commentaries[0].content).toContain(perspective)
    })

    it("a container persists its call counts before a response, at most once a second, and persists the last counts when it stops", async (test) => {
      const { key, url } = await seed.copy(test)
      const env = Deployment.makeLambdaEnvironment(url)
      const one = await Emulator.startContainer(bundle.folder, env, test)
      const other = await Emulator.startContainer(bundle.folder, env, test)
      const list = { method: "GET", target: "/partner/v1/personas", headers: makeApiKeyHeaders(key) }
      const usage = { method: "GET", target: "/partner/v1/usage", headers: makeApiKeyHeaders(key) }
      const callsSeen = async () => (await sendHttpEvent(other, usage)).json().data.usage.api_calls

      await sendHttpEvent(one, list)
      expect(await callsSeen()).toBe(2)
      for (let count = 0; count < 3; count++) await sendHttpEvent(one, list)
      await new Promise((resolve) => setTimeout(resolve, 1100))
      await sendHttpEvent(one, list)
      await one.stop("SIGKILL")
      expect(await callsSeen()).toBe(7)

      const third = await Emulator.startContainer(bundle.folder, env, test)
      for (let count = 0; count < 4; count++) await sendHttpEvent(third, list)
      expect(await third.stop("SIGTERM")).toBe(0)
      expect(await callsSeen()).toBe(12)
    })

    it("a container and a Node host on the same database return the same responses", async (test) => {
      const { key, persona, url } = await seed.copy(test)
      const env = Deployment.makeLambdaEnvironment(url)
      const container = await Emulator.startContainer(bundle.folder, env, test)
      const apiRoot = await Deployment.startNodeHost(env, await Deployment.makeTemporaryFolder(test), test)
      const content = "Who wins the derby on Sunday?"
      const headers = [...makeApiKeyHeaders(key), ["X-Request-Id", "same"], ["Accept-Encoding", "identity"]] as const
      const topic = { content, persona_ids: [persona.id] }
      await sendHttpEvent(container, { method: "POST", target: "/partner/v1/topics", headers, ...makeJsonBody(topic) })
      const [{ topic_id: id }] = (
        await sendHttpEvent(container, { method: "GET", target: "/partner/v1/topics", headers })
      ).json().data
      const requests: ReadonlyArray<HostComparisonRequest> = [
        ...["", "/status", "/commentaries", "/nothing"].map((rest) => ({
          method: "GET",
          target: `/partner/v1/topics/${id}${rest}`
        })),
        { method: "GET", target: "/partner/v1/personas" },
        { method: "POST", target: "/partner/v1/topics", ...makeJsonBody(topic) },
        { method: "POST", target: "/partner/v1/topics", body: "{" },
        { method: "GET", target: "/openapi.json" },
        { method: "GET", target: "/docs" },
        { method: "GET", target: "/creator/nonsense" }
      ]
      for (const one of requests) {
        const { method, target } = one
        const there = await fetch(`${apiRoot}${target}`, {
          method,
          headers: Object.fromEntries(headers),
          body: one.body?.toString() ?? null
        })
        const here = await sendHttpEvent(container, { ...one, headers })
        const {
          connection: _,
          date,
          "keep-alive": __,
          "transfer-encoding": ___,
          ...told
        } = Object.fromEntries(there.headers)
        const timed = ["content-length", "ratelimit", "x-ratelimit-remaining", "x-ratelimit-reset"]
        for (const name of timed) {
          delete told[name]
          delete here.headers[name]
        }
        expect(here.headers, target).toEqual(told)
        expect([here.statusCode, here.body], target).toEqual([there.status, await there.text()])
      }
    })

    it("two containers on one database do no work twice", async (test) => {
      const post = await Deployment.startMailServer(test)
      const { key, persona, url } = await seed.copy(test)
      const env = Deployment.makeLambdaEnvironment(url, post.url)
      const containers = [
        await Emulator.startContainer(bundle.folder, env, test),
        await Emulator.startContainer(bundle.folder, env, test)
      ] as const
      for (let number = 0; number < 12; number++) {
        const content = `Who wins game number ${number} of the series?`
        expect((await submitTopic(containers[0], key, { content, persona_ids: [persona.id] })).statusCode).toBe(201)
      }
      await Promise.all(containers.map(invokeSchedule))
      expect(new Set(post.received.map(({ messageId }) => messageId)).size).toBe(12)
      expect(post.received).toHaveLength(12)
    })
  })
}
