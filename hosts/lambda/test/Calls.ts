/**
 * Sends API Gateway events (for HTTP requests) and schedule events to a container. Also sends the requests with which a
 * partner and a creator produce one commentary.
 */
import type { HostComparisonRequest } from "@partner-commentary/test/HostRequests"
import type { Email } from "postal-mime"
import type * as Emulator from "./Emulator.ts"
import { eventMakersBySource, readExampleEvent } from "./Sources.ts"

export const makeHttpEvent = eventMakersBySource["an HTTP API"] ?? (() => undefined)

/**
 * Sends the request as an event of an HTTP API, and returns the response. The function `json` of the result parses the
 * response's body.
 */
export const sendHttpEvent = async (container: Emulator.LambdaContainer, asked: HostComparisonRequest) => {
  const outcome = await container.invoke(makeHttpEvent(asked))
  if ("failure" in outcome) throw new Error(outcome.failure.errorMessage)
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shape of the JSON
  const answer = outcome.answer as any
  return { ...answer, json: () => JSON.parse(answer.body) }
}

export const invokeSchedule = (container: Emulator.LambdaContainer) => container.invoke(readExampleEvent("schedule"))

export const makeApiKeyHeaders = (key: string) =>
  [
    ["X-Api-Key", key],
    ["Content-Type", "application/json"]
  ] as const

export const makeJsonBody = (value: unknown) => ({ body: JSON.stringify(value) })

export const submitTopic = (container: Emulator.LambdaContainer, key: string, topic: unknown) =>
  sendHttpEvent(container, {
    method: "POST",
    target: "/partner/v1/topics",
    headers: makeApiKeyHeaders(key),
    ...makeJsonBody(topic)
  })

/** Performs a creator's action with the creator link in a mail. */
export const submitCreatorAction = (
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
  return sendHttpEvent(container, {
    method: "POST",
    target: `/creator/${token}/${action}`,
    headers,
    ...makeJsonBody(given)
  })
}

export const requestTopicCommentaries = (container: Emulator.LambdaContainer, key: string, topicId: string) =>
  sendHttpEvent(container, {
    method: "GET",
    target: `/partner/v1/topics/${topicId}/commentaries`,
    headers: makeApiKeyHeaders(key)
  })
