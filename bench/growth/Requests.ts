/** Defines a partner's requests about a year of topics: every read, lists at every depth, and POST. */
import { formatPageCursor } from "@partner-commentary/core/shared/Page"
import type { DatabasePool } from "../Database.ts"
import { personaCount } from "./Seed.ts"

export interface TimedRequest {
  readonly name: string
  /** The path of the n-th request, and the body of a POST. */
  readonly request: (n: number) => { readonly path: string; readonly body?: string }
}

const sampleSize = 500

/** The requests use topics, references and events from the whole year. */
export const makeTimedRequests = async (
  database: DatabasePool,
  webhookId: string
): Promise<ReadonlyArray<TimedRequest>> => {
  const { rows: topics } = await database.query(
    "SELECT id, external_reference, created_at FROM topics ORDER BY md5(id) LIMIT $1",
    [sampleSize]
  )
  const column = async (text: string) => (await database.query(text)).rows.map(({ value }) => value as string)
  const [half] = await column(
    "SELECT id AS value FROM events ORDER BY id OFFSET (SELECT COUNT(*) / 2 FROM events) LIMIT 1"
  )
  const of = <A>(all: ReadonlyArray<A>, n: number): A => all[n % all.length]!
  const ids = topics.map(({ id }) => id as string)
  const fixed = (name: string, path: string): TimedRequest => ({ name, request: () => ({ path }) })
  const each = (name: string, path: (n: number) => string): TimedRequest => ({
    name,
    request: (n) => ({ path: path(n) })
  })
  const cursor = (n: number) => {
    const { created_at, id } = of(topics, n)
    return encodeURIComponent(formatPageCursor({ createdAt: Date.parse(created_at), id }, "created_at"))
  }
  const personas = Array.from(
    { length: personaCount },
    (_, p) => `${String((p + 1).toString(16)).padStart(8, "0")}-0000-4000-8000-000000000000`
  )
  const run = Math.random().toString(36).slice(2)
  const year = new Date(Date.now() - 365 * 86_400_000)
  year.setUTCHours(0, 0, 0, 0)
  const noon = new Date(Date.now() - 20 * 86_400_000)
  noon.setUTCHours(12, 0, 0, 0)
  return [
    {
      name: "POST /topics, 3 personas",
      request: (n) => ({
        path: "/topics",
        body: JSON.stringify({
          content: `Which team improves the most over the rest of season ${run} ${n}, and why?`,
          persona_ids: [of(personas, n), of(personas, n + 1), of(personas, n + 2)],
          external_reference: `bench:${run}:${n}`
        })
      })
    },
    each("GET /topics/{id}", (n) => `/topics/${of(ids, n)}`),
    each("GET /topics/{id}/status", (n) => `/topics/${of(ids, n)}/status`),
    each("GET /topics/{id}/commentaries", (n) => `/topics/${of(ids, n)}/commentaries`),
    each("GET /topics/by-reference/{ref}", (n) => `/topics/by-reference/${of(topics, n).external_reference}`),
    fixed("GET /topics", "/topics?limit=20"),
    fixed("GET /topics, offset 9,900", "/topics?limit=20&offset=9900"),
    each("GET /topics, cursor anywhere", (n) => `/topics?limit=20&cursor=${cursor(n)}`),
    fixed("GET /topics, completed", "/topics?limit=20&status=completed"),
    fixed("GET /topics, completed, offset 9,000", "/topics?limit=20&status=completed&offset=9000"),
    each("GET /topics, completed, cursor anywhere", (n) => `/topics?limit=20&status=completed&cursor=${cursor(n)}`),
    fixed("GET /topics, pending", "/topics?limit=20&status=pending"),
    fixed("GET /topics, pending or completed, oldest first", "/topics?limit=20&status=pending,completed&order=asc"),
    each("GET /topics, one reference", (n) => `/topics?external_reference=${of(topics, n).external_reference}`),
    each("GET /topics, created before", (n) => `/topics?created_before=${of(topics, n).created_at}`),
    each(
      "GET /topics, created after, oldest first",
      (n) => `/topics?order=asc&created_after=${of(topics, n).created_at}`
    ),
    each("GET /topics, changed after", (n) => `/topics?updated_after=${of(topics, n).created_at}`),
    fixed("GET /events", "/events"),
    fixed("GET /events, cursor in the middle", `/events?cursor=evt_${half}`),
    fixed("GET /events, after one in the middle", `/events?after=evt_${half}`),
    fixed("GET /events, forward", "/events?order=asc"),
    fixed("GET /events, one type", "/events?type=commentary.failed"),
    fixed("GET /webhooks", "/webhooks"),
    fixed("GET /webhooks/{id}/deliveries", `/webhooks/${webhookId}/deliveries`),
    fixed("GET /webhooks/{id}/deliveries, failed", `/webhooks/${webhookId}/deliveries?status=failed`),
    fixed("GET /personas", "/personas"),
    each("GET /personas/{id}", (n) => `/personas/${of(personas, n)}`),
    fixed("GET /usage", "/usage"),
    fixed("GET /metrics/performance", "/metrics/performance"),
    fixed("GET /metrics/performance, a year", `/metrics/performance?from=${year.toISOString()}`),
    fixed(
      "GET /metrics/performance, from noon 20 days ago (half a day one by one)",
      `/metrics/performance?from=${noon.toISOString()}`
    )
  ]
}
