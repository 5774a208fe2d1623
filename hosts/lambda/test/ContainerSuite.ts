/** The behaviour of containers on a shared database, for each kind of database. */
import type { Asked } from "@partner-commentary/test/HostRequests"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { as, ask, body, commentaries, press, schedule, submit } from "./Calls.ts"
import * as Deployment from "./Deployment.ts"
import * as Emulator from "./Emulator.ts"

export const suite = (name: string, seeded: () => Promise<Deployment.Seed>) => {
  let bundle: Awaited<ReturnType<typeof Deployment.makeBundle>>
  let seed: Deployment.Seed
  beforeAll(async () => {
    ;[bundle, seed] = await Promise.all([Deployment.makeBundle(), seeded()])
  })
  afterAll(() => Promise.all([bundle.remove(), seed.remove()]))

  describe.concurrent(`a container on ${name}`, () => {
    it("runs the whole workflow: requests through a gateway, mails and drafts on a schedule", async (test) => {
      const post = await Deployment.postOffice(test)
      const { key, persona, url } = await seed.copy(test)
      const container = await Emulator.container(bundle.folder, Deployment.environment(url, post.url), test)

      const content = "Will the Lakers make the play-offs?"
      const created = await submit(container, key, { content, persona_ids: [persona.id] })
      expect(created).toMatchObject({ statusCode: 201, isBase64Encoded: false })
      expect(post.received).toHaveLength(0)

      expect(await schedule(container)).toEqual({ answer: { taken: 1, more_due: false } })
      const perspective = "They will, but only just."
      expect((await press(container, post.received[0], "respond", { perspective })).statusCode).toBe(200)
      expect(await schedule(container)).toMatchObject({ answer: { more_due: false } })
      expect((await press(container, post.received[1], "approve", {})).statusCode).toBe(200)

      const shown = await commentaries(container, key, created.json().data.topic_id)
      expect(shown.json().data.commentaries[0].content).toContain(perspective)
    })

    it("persists counted calls before a response, once a second at most, and the rest when it stops", async (test) => {
      const { key, url } = await seed.copy(test)
      const env = Deployment.environment(url)
      const one = await Emulator.container(bundle.folder, env, test)
      const other = await Emulator.container(bundle.folder, env, test)
      const list = { method: "GET", target: "/partner/v1/personas", headers: as(key) }
      const usage = { method: "GET", target: "/partner/v1/usage", headers: as(key) }
      const callsSeen = async () => (await ask(other, usage)).json().data.usage.api_calls

      await ask(one, list)
      expect(await callsSeen()).toBe(2)
      for (let count = 0; count < 3; count++) await ask(one, list)
      await new Promise((resolve) => setTimeout(resolve, 1100))
      await ask(one, list)
      await one.stop("SIGKILL")
      expect(await callsSeen()).toBe(7)

      const third = await Emulator.container(bundle.folder, env, test)
      for (let count = 0; count < 4; count++) await ask(third, list)
      expect(await third.stop("SIGTERM")).toBe(0)
      expect(await callsSeen()).toBe(12)
    })

    it("answers as the Node host does on the same database", async (test) => {
      const { key, persona, url } = await seed.copy(test)
      const env = Deployment.environment(url)
      const container = await Emulator.container(bundle.folder, env, test)
      const apiRoot = await Deployment.serve(env, await Deployment.folder(test), test)
      const content = "Who wins the derby on Sunday?"
      const headers = [...as(key), ["X-Request-Id", "same"], ["Accept-Encoding", "identity"]] as const
      const topic = { content, persona_ids: [persona.id] }
      await ask(container, { method: "POST", target: "/partner/v1/topics", headers, ...body(topic) })
      const [{ topic_id: id }] = (await ask(container, { method: "GET", target: "/partner/v1/topics", headers })).json()
        .data
      const requests: ReadonlyArray<Asked> = [
        ...["", "/status", "/commentaries", "/nothing"].map((rest) => ({
          method: "GET",
          target: `/partner/v1/topics/${id}${rest}`
        })),
        { method: "GET", target: "/partner/v1/personas" },
        { method: "POST", target: "/partner/v1/topics", ...body(topic) },
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
        const here = await ask(container, { ...one, headers })
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

    it("works beside another on one database without doing anything twice", async (test) => {
      const post = await Deployment.postOffice(test)
      const { key, persona, url } = await seed.copy(test)
      const env = Deployment.environment(url, post.url)
      const containers = [
        await Emulator.container(bundle.folder, env, test),
        await Emulator.container(bundle.folder, env, test)
      ] as const
      for (let number = 0; number < 12; number++) {
        const content = `Who wins game number ${number} of the series?`
        expect((await submit(containers[0], key, { content, persona_ids: [persona.id] })).statusCode).toBe(201)
      }
      await Promise.all(containers.map(schedule))
      expect(new Set(post.received.map(({ messageId }) => messageId)).size).toBe(12)
      expect(post.received).toHaveLength(12)
    })
  })
}
