/**
 * Creates partners with webhooks, and drafts that wait for approval, through the API with test keys. Simulated
 * creators take each step on request.
 */
import { createPartner } from "../Fixtures.ts"
import type * as Servers from "../Servers.ts"

export interface NewPartnerOptions {
  /** The URLs of the receivers. Each receiver has one webhook. */
  readonly urls: ReadonlyArray<string>
  readonly drafts: number
}

/** The request that approves one draft. */
export interface CommentaryApproval {
  readonly key: string
  readonly path: string
  readonly topicId: string
}

/** The id of a test persona whose simulated creator takes a step only when a request calls `advance`. */
const waits = "7e570000-0000-4000-8000-000000000005"

const call = async (port: number, key: string, path: string, body: unknown) => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}: ${text}`)
  return JSON.parse(text).data
}

const advance = (id: string) => `/partner/v1/test/assignments/${id}/advance`

/** Creates one partner's drafts, and returns the requests that approve the drafts. */
export const prepareApprovals = async (
  folder: string,
  variables: NodeJS.ProcessEnv,
  { port }: Servers.ListeningServer,
  { drafts, urls }: NewPartnerOptions
): Promise<ReadonlyArray<CommentaryApproval>> => {
  const { key } = await createPartner(folder, variables, "test")
  for (const url of urls) await call(port, key, "/partner/v1/webhooks", { url, events: ["creator.approved"] })
  const ids: Array<string> = []
  const topicIds: Array<string> = []
  while (ids.length < drafts) {
    const topics = Array.from({ length: Math.min(100, drafts - ids.length) }, (_, index) => ({
      content: `Which team improves the most over the rest of season ${ids.length + index}, and why?`,
      persona_ids: [waits],
      metadata: { season: ids.length + index, note: "x".repeat(200) }
    }))
    const { results } = await call(port, key, "/partner/v1/topics/bulk", { topics })
    for (const { topic } of results) {
      ids.push(topic.results[0].share_id)
      topicIds.push(topic.topic_id)
    }
  }
  const left = ids.values()
  const prepare = async () => {
    // The first `advance` call submits the creator's response, and the second call creates the draft.
    for (const id of left) for (let step = 0; step < 2; step++) await call(port, key, advance(id), {})
  }
  await Promise.all(Array.from({ length: 16 }, prepare))
  return ids.map((id, index) => ({ key, path: advance(id), topicId: topicIds[index] ?? "" }))
}
