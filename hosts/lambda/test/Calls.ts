/**
 * The tests' requests to a container: HTTP through an API Gateway, the schedule, and the partner's and the creator's requests for
 * one commentary.
 */
import type { Asked } from "@partner-commentary/test/HostRequests"
import type { Email } from "postal-mime"
import type * as Emulator from "./Emulator.ts"
import { example, sources } from "./Sources.ts"

export const http = sources["an HTTP API"] ?? (() => undefined)

/** Returns the response. Its body must be JSON. */
export const ask = async (container: Emulator.Container, asked: Asked) => {
  const outcome = await container.invoke(http(asked))
  if ("failure" in outcome) throw new Error(outcome.failure.errorMessage)
  // biome-ignore lint/suspicious/noExplicitAny: the tests check its content
  const answer = outcome.answer as any
  return { ...answer, json: () => JSON.parse(answer.body) }
}

export const schedule = (container: Emulator.Container) => container.invoke(example("schedule"))

export const as = (key: string) =>
  [
    ["X-Api-Key", key],
    ["Content-Type", "application/json"]
  ] as const

export const body = (value: unknown) => ({ body: JSON.stringify(value) })

export const submit = (container: Emulator.Container, key: string, topic: unknown) =>
  ask(container, { method: "POST", target: "/partner/v1/topics", headers: as(key), ...body(topic) })

/** Performs a creator's action with the link of a mail. */
export const press = (container: Emulator.Container, mail: Email | undefined, action: string, given: unknown) => {
  const token = /commentary\.example\/creator\/(\S+)/.exec(mail?.text ?? "")?.[1]
  const headers = [
    ["Accept", "application/json"],
    ["Content-Type", "application/json"]
  ] as const
  return ask(container, { method: "POST", target: `/creator/${token}/${action}`, headers, ...body(given) })
}

export const commentaries = (container: Emulator.Container, key: string, topicId: string) =>
  ask(container, { method: "GET", target: `/partner/v1/topics/${topicId}/commentaries`, headers: as(key) })
