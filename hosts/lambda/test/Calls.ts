/**
 * Sends the tests' requests to a container. The requests come from a partner and a creator through an API Gateway, or
 * from the schedule.
 */
import type { HostRequest } from "@partner-commentary/test/HostRequests"
import type { Email } from "postal-mime"
import type * as Emulator from "./Emulator.ts"
import { eventSources, exampleEvent } from "./Sources.ts"

export const httpEvent = eventSources["an HTTP API"] ?? (() => undefined)

/** Sends a request to the container. The returned response has a function that parses its JSON body. */
export const askHandler = async (container: Emulator.LambdaContainer, asked: HostRequest) => {
  const outcome = await container.invoke(httpEvent(asked))
  if ("failure" in outcome) throw new Error(outcome.failure.errorMessage)
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the content of the response
  const answer = outcome.answer as any
  return { ...answer, json: () => JSON.parse(answer.body) }
}

export const invokeSchedule = (container: Emulator.LambdaContainer) => container.invoke(exampleEvent("schedule"))

export const keyHeaders = (key: string) =>
  [
    ["X-Api-Key", key],
    ["Content-Type", "application/json"]
  ] as const

export const jsonBody = (value: unknown) => ({ body: JSON.stringify(value) })

export const submitTopic = (container: Emulator.LambdaContainer, key: string, topic: unknown) =>
  askHandler(container, { method: "POST", target: "/partner/v1/topics", headers: keyHeaders(key), ...jsonBody(topic) })

/** Performs a creator's action at the link in a mail. */
export const pressButton = (
  container: Emulator.LambdaContainer,
  mail: Email | undefined,
  action: string,
  given: unknown
) => {
  const token = /commentary\.example\/creator\/(\S+)/.exec(mail?.text ?? "")?.[1]
  const headers = [
    ["Accept", "application/json"],
    ["Content-Type", "application/json"]
  ] as const
  return askHandler(container, { method: "POST", target: `/creator/${token}/${action}`, headers, ...jsonBody(given) })
}

export const getCommentaries = (container: Emulator.LambdaContainer, key: string, topicId: string) =>
  askHandler(container, {
    method: "GET",
    target: `/partner/v1/topics/${topicId}/commentaries`,
    headers: keyHeaders(key)
  })
