/** A valid request body for each operation. The authorization matrix fails if an operation has no entry here. */
import type { RequestResourceIds } from "./Operations.ts"

/** `nth` makes contents and names unique. `common` is a persona that is licensed to every organization. */
export interface ExampleBodyInput {
  readonly nth: number
  readonly common: string
  readonly resourceIds: RequestResourceIds
}

type Example = (wanted: ExampleBodyInput) => unknown

const none: Example = () => undefined
const topic = ({ common, nth }: ExampleBodyInput) => ({
  content: `Who wins match number ${nth} of the cup?`,
  persona_ids: [common]
})

export const exampleRequestBodies: Readonly<Record<string, Example>> = {
  createTopic: topic,
  createTopics: (wanted) => ({ topics: [topic(wanted)] }),
  listTopics: none,
  getTopic: none,
  getTopicStatus: none,
  cancelTopic: none,
  getTopicCommentaries: none,
  getTopicByReference: none,
  approveCommentary: none,
  listPersonas: none,
  getPersona: none,
  getUsage: none,
  getPerformance: none,
  createWebhook: ({ nth }) => ({ url: `https://example.com/made/${nth}`, events: ["creator.approved"] }),
  listWebhooks: none,
  getWebhook: none,
  updateWebhook: ({ nth }) => ({ url: `https://example.com/changed/${nth}`, status: "paused" }),
  deleteWebhook: none,
  rotateWebhookSecret: none,
  testWebhook: none,
  listDeliveries: none,
  getDelivery: none,
  retryDelivery: none,
  recoverWebhook: () => ({ since: "2026-01-30T00:00:00Z" }),
  listEvents: none,
  streamEvents: none,
  createApiKey: ({ nth }) => ({ name: `Made ${nth}`, scopes: ["usage:read"] }),
  listApiKeys: none,
  getApiKey: none,
  revokeApiKey: none,
  updateApiKey: ({ nth }) => ({ name: `Changed ${nth}` }),
  getMe: none,
  rotateApiKey: () => ({ grace_period_seconds: 0 }),
  advanceTestAssignment: () => ({ action: "respond" })
}
