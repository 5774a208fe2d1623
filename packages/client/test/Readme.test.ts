/** Runs the README's webhook handlers with requests as Express and Hono would pass them. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { verifyWebhook, WebhookVerificationError } from "@partner-commentary/client"
import { Webhook } from "standardwebhooks"
import { expect, it } from "vitest"
import { catchRejection } from "./ScriptedService.ts"

const readme = readFileSync(join(import.meta.dirname, "..", "README.md"), "utf8")
const snippets = /```ts\n(\/\/ Express\n[\s\S]+?)```/.exec(readme)?.[1] ?? ""

const secret = "a raw secret of 32 or more characters"
const sign = (body: string) => {
  const at = new Date()
  return {
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret, { format: "raw" }).sign("evt_1", at, body)
  }
}

const commentary = { id: "c", content: "They will." }
const approved = JSON.stringify({ id: "evt_1", type: "creator.approved", data: { commentary } })
const failed = JSON.stringify({ id: "evt_1", type: "commentary.failed", data: { topic_id: "t", reason: "declined" } })

type Handler = (first: object, second?: object) => Promise<unknown>

/** The webhook handlers that the README's snippets register, and the calls that the webhook handlers have made. */
const registered = () => {
  const handlers: Array<Handler> = []
  const parsers: Array<unknown> = []
  const done: Array<unknown> = []
  const app = { post: (_: string, ...handler: ReadonlyArray<Handler>) => void handlers.push(handler.at(-1) as Handler) }
  const express = { raw: (options: unknown) => void parsers.push(options) }
  const publish = async (what: unknown) => void done.push(["publish", what])
  const drop = async (...what: ReadonlyArray<unknown>) => void done.push(["drop", ...what])
  new Function("app", "express", "verifyWebhook", "secret", "publish", "drop", snippets)(
    app,
    express,
    verifyWebhook,
    secret,
    publish,
    drop
  )
  return { handlers, parsers, done }
}

const inExpress = (text: string, headers: object) => ({ body: Buffer.from(text), headers: { host: "a", ...headers } })

const inHono = (text: string, headers: Record<string, string>) => {
  const request = new Request("https://desk.example/commentary", { method: "POST", body: text, headers })
  return { req: { raw: request, text: () => request.text() }, body: (_: null, status: number) => status }
}

it("the Express snippet accepts only a correctly signed body and publishes the commentary", async () => {
  const { done, handlers, parsers } = registered()
  const statuses: Array<number> = []
  const response = { sendStatus: (status: number) => void statuses.push(status) }
  await handlers[0]?.(inExpress(approved, sign(approved)), response)
  expect([statuses, done, parsers]).toEqual([[204], [["publish", commentary]], [{ type: "application/json" }]])
  const call = Promise.resolve(handlers[0]?.(inExpress(failed, sign(approved)), response))
  expect(await catchRejection(call)).toBeInstanceOf(WebhookVerificationError)
  expect(statuses).toEqual([204])
})

it("the Hono snippet accepts only a correctly signed request and drops the topic", async () => {
  const { done, handlers } = registered()
  expect(await handlers[1]?.(inHono(failed, sign(failed)))).toBe(204)
  expect(done).toEqual([["drop", "t", "declined"]])
  const call = Promise.resolve(handlers[1]?.(inHono(failed, sign(approved))))
  expect(await catchRejection(call)).toBeInstanceOf(WebhookVerificationError)
})

it("the README contains exactly the two tested webhook snippets", () => {
  expect(registered().handlers).toHaveLength(2)
})
