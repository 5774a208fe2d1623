/**
 * Partners with a test key and a webhook each. The partners send topics to the test personas, and each topic produces
 * four events.
 */
import { randomBytes } from "node:crypto"
import { highLimitFlags } from "../../test/support/Partner.ts"
import { callApi } from "../Call.ts"
import { runJsonCommand, type TestServiceConfig } from "../Host.ts"
import type { WebhookReceivers } from "./Receivers.ts"

export interface WebhookPartner {
  /** The path of the partner's webhook at the receiver. */
  readonly hook: string
  readonly webhookId: string
  readonly key: string
}

/** The test personas that approve, decline, expire and fail, in this order. */
const personas = [1, 2, 3, 4].map((number) => `7e570000-0000-4000-8000-00000000000${number}`)

export const eventCountPerTopic = personas.length

export const seedWebhookPartner = async (
  at: TestServiceConfig,
  receivers: WebhookReceivers,
  number: number
): Promise<WebhookPartner> => {
  const { id } = await runJsonCommand<{ readonly id: string }>(
    at,
    "org",
    "create",
    "--name",
    `Partner ${number}`,
    ...highLimitFlags
  )
  const words = ["--name", "driver", "--scopes", "topics:submit,topics:read", "--environment", "test"]
  const { full_key: key } = await runJsonCommand<{ readonly full_key: string }>(
    at,
    "key",
    "create",
    "--org",
    id,
    ...words
  )
  const hook = `hook-${number}`
  // Half of the webhooks use a secret that the partner chose, and half use a secret that the service generated.
  const own = number % 2 === 0 ? {} : { secret: randomBytes(24).toString("hex") }
  const { data, status } = await callApi<{ readonly id: string; readonly secret: string }>(
    `${at.root}/partner/v1/webhooks`,
    {
      key,
      body: { url: `${receivers.root}/${hook}`, events: ["creator.approved", "commentary.failed"], ...own }
    }
  )
  if (status !== 201) throw new Error(`the webhook was answered with ${status}`)
  receivers.secrets.set(hook, data.secret)
  return { hook, webhookId: data.id, key }
}

interface Bulk {
  readonly results: ReadonlyArray<{
    readonly status: string
    readonly topic?: { readonly results: ReadonlyArray<{ readonly share_id: string; readonly status: string }> }
  }>
}

/** Submits topics and returns the ids of the created assignments. */
export const submitTopics = async (
  at: TestServiceConfig,
  { hook, key }: WebhookPartner,
  from: number,
  topics: number
) => {
  const { data, status } = await callApi<Bulk>(`${at.root}/partner/v1/topics/bulk`, {
    key,
    body: {
      topics: Array.from({ length: topics }, (_, index) => ({
        content: `Who wins match ${from + index} of the season, and why?`,
        persona_ids: personas,
        external_reference: `${hook}:${from + index}`,
        metadata: { hook, ünïcode: '🏆 "quoted" \\ </script>', index: from + index }
      }))
    }
  })
  const shares = status === 200 ? data.results.flatMap(({ topic }) => topic?.results ?? []) : []
  if (shares.length !== topics * personas.length) throw new Error(`topics were answered with ${status}`)
  return shares.map(({ share_id }) => share_id)
}
