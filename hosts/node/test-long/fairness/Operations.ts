/**
 * Defines the heaviest possible request for each operation of the OpenAPI document. The fairness test fails if an
 * operation is missing.
 */
import { type Attack, getCyclicElement } from "./Attack.ts"
import * as Receiver from "./Receiver.ts"
import type { FairnessSetup } from "./Seed.ts"

export interface OperationAttack {
  /** Maps the names of path parameters to their values. */
  readonly path?: (
    scene: FairnessSetup,
    nth: number,
    prepared: ReadonlyArray<string>
  ) => Readonly<Record<string, string>>
  readonly query?: string
  readonly body?: (scene: FairnessSetup, nth: number) => unknown
  readonly prepare?: Attack["prepare"]
  readonly manner?: Attack["manner"]
}

const topic = ({ attacker }: FairnessSetup, nth: number) => ({
  content: `Who wins match ${nth} of ${process.pid}?`,
  persona_ids: attacker.personas,
  metadata: { note: "x".repeat(16_000) }
})

const theTopic: OperationAttack = { path: ({ attacker }) => ({ id: attacker.topic }) }
const theWebhook: OperationAttack = { path: ({ attacker }) => ({ id: attacker.webhook }) }
const aDelivery: OperationAttack = {
  path: ({ attacker }, nth) => ({ id: attacker.webhook, delivery_id: getCyclicElement(attacker.deliveries, nth) })
}
const aSpareKey: OperationAttack = { path: ({ attacker }, nth) => ({ id: getCyclicElement(attacker.spare, nth) }) }

/** Creates assignments in the test environment that advance only when a request advances them. */
const waiting: Attack["prepare"] = async (_, call) => {
  const topics = Array.from({ length: 100 }, (__, nth) => ({
    content: `Who waits in match ${nth} of ${process.pid}?`,
    persona_ids: ["7e570000-0000-4000-8000-000000000005"]
  }))
  const { data } = await call({
    method: "POST",
    path: "/partner/v1/topics/bulk",
    by: "test",
    body: JSON.stringify({ topics })
  })
  // biome-ignore lint/suspicious/noExplicitAny: the response of the bulk operation is untyped JSON
  return (data?.results ?? []).flatMap((one: any) => one.topic?.results?.[0]?.share_id ?? [])
}

/** Creates topics with an unanswered assignment for each persona. */
const topicsToCancel: Attack["prepare"] = async (scene, call) => {
  const topics = Array.from({ length: 10 }, (_, nth) => topic(scene, nth + 1_000_000))
  const { data } = await call({
    method: "POST",
    path: "/partner/v1/topics/bulk",
    by: "live",
    body: JSON.stringify({ topics })
  })
  // biome-ignore lint/suspicious/noExplicitAny: the response of the bulk operation is untyped JSON
  return (data?.results ?? []).flatMap((one: any) => one.topic?.topic_id ?? [])
}

const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10)

/** The query for a report over the longest allowed period. */
const lastYear = `from=${day(365)}T00:00:00Z&to=${day(0)}T00:00:00Z`

const operations: Readonly<Record<string, OperationAttack>> = {
  createTopic: { body: topic },
  createTopics: {
    body: (scene, nth) => ({ topics: Array.from({ length: 10 }, (_, each) => topic(scene, nth * 10 + each)) })
  },
  listTopics: { query: "limit=100" },
  getTopic: theTopic,
  getTopicStatus: theTopic,
  getTopicCommentaries: theTopic,
  cancelTopic: {
    prepare: topicsToCancel,
    path: (_, nth, made) => ({ id: getCyclicElement(made, nth) })
  },
  getTopicByReference: { path: ({ attacker }) => ({ ref: attacker.reference }) },
  approveCommentary: {
    path: ({ attacker }, nth) => {
      const [id, commentary_id] = getCyclicElement(attacker.commentaries, nth)
      return { id, commentary_id }
    }
  },
  listPersonas: {},
  getPersona: { path: ({ attacker }) => ({ id: attacker.personas[0] ?? "" }) },
  getUsage: {},
  getPerformance: { query: lastYear },
  createWebhook: { body: (_, nth) => ({ url: `http://127.0.0.1:9/${nth}`, events: ["creator.approved"] }) },
  listWebhooks: {},
  getWebhook: theWebhook,
  updateWebhook: { ...theWebhook, body: (_, nth) => ({ url: `http://127.0.0.1:9/${nth}` }) },
  deleteWebhook: {
    prepare: Receiver.createWebhooks("live", "never answers"),
    path: (_, nth, made) => ({ id: getCyclicElement(made, nth) })
  },
  rotateWebhookSecret: theWebhook,
  testWebhook: {
    prepare: Receiver.createWebhooks("live", "never answers"),
    path: (_, nth, made) => ({ id: getCyclicElement(made, nth) })
  },
  listDeliveries: { ...theWebhook, query: "limit=100" },
  getDelivery: aDelivery,
  retryDelivery: aDelivery,
  recoverWebhook: { ...theWebhook, body: () => ({ since: new Date(Date.now() - 86_400_000).toISOString() }) },
  listEvents: { query: "order=asc&limit=100" },
  // An event stream does not end by itself. A client that disconnects causes more work than a client that waits.
  streamEvents: { manner: "leaves" },
  createApiKey: { body: (_, nth) => ({ name: `Made ${nth}`, scopes: ["usage:read"] }) },
  listApiKeys: {},
  getApiKey: aSpareKey,
  revokeApiKey: aSpareKey,
  updateApiKey: { ...aSpareKey, body: (_, nth) => ({ name: `Changed ${nth}` }) },
  getMe: {},
  rotateApiKey: { ...aSpareKey, body: () => ({ grace_period_seconds: 0 }) },
  advanceTestAssignment: {
    prepare: waiting,
    path: (_, nth, made) => ({ share_id: getCyclicElement(made, nth) }),
    body: () => ({ action: "respond" })
  }
}

interface Described {
  readonly operationId: string
  readonly security: ReadonlyArray<Readonly<Record<string, unknown>>>
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

/**
 * Returns the attacks for the operations of the OpenAPI document. Also returns a sentence for each operation for which
 * no attack is defined.
 */
export const makeOperationAttacks = ({ paths }: Description) => {
  const attacks: Record<string, Attack> = {}
  const missing: Array<string> = []
  for (const [template, methods] of Object.entries(paths)) {
    for (const [method, { operationId, security }] of Object.entries(methods)) {
      const entry = operations[operationId]
      if (entry === undefined) {
        missing.push(
          `${operationId} (${method.toUpperCase()} ${template}) has no attack: add it to hosts/node/test-long/fairness/Operations.ts with the heaviest request that a caller may send.`
        )
        continue
      }
      const isDashboard = security.some((scheme) => "DashboardToken" in scheme)
      const by = isDashboard ? "dashboard" : template.includes("/test/") ? "test" : "live"
      attacks[operationId] = {
        lasts: 1000,
        ...(entry.prepare === undefined ? {} : { prepare: entry.prepare }),
        ...(entry.manner === undefined ? {} : { manner: entry.manner }),
        ask: (scene, nth, prepared) => {
          const values = entry.path?.(scene, nth, prepared) ?? {}
          const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "")
          return {
            method: method.toUpperCase(),
            path: entry.query === undefined ? path : `${path}?${entry.query}`,
            by,
            ...(entry.body === undefined ? {} : { body: JSON.stringify(entry.body(scene, nth)) })
          }
        }
      }
    }
  }
  return { attacks, missing }
}
