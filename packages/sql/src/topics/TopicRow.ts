/** Maps a topic to a row with one column for each of the topic's counts. */

import type { OrganizationId, TopicId } from "@partner-commentary/core/shared/Ids"
import { fromIso, toIso } from "@partner-commentary/core/shared/Instant"
import type { Environment } from "@partner-commentary/core/shared/Owner"
import type { Topic } from "@partner-commentary/core/topic/Topic"
import { assignmentStatuses, type TopicCounts, type TopicStatus } from "@partner-commentary/core/topic/TopicStatus"
import type { ListedTopic, TopicRevision } from "@partner-commentary/core/topic/TopicStore"

export interface TopicRow extends TopicCounts {
  readonly id: TopicId
  readonly organization_id: OrganizationId
  readonly organization_name: string
  readonly environment: Environment
  readonly external_reference: string | null
  readonly content: string
  readonly metadata: string
  readonly output_types: string
  readonly webhook_ids: string | null
  readonly status: TopicStatus
  readonly created_at: string
  readonly updated_at: string
  readonly version: number
}

export const makeTopicRevision = ({ updated_at, version }: Pick<TopicRow, "updated_at" | "version">): TopicRevision =>
  `${version.toString(36)}.${fromIso(updated_at).toString(36)}`

export const pickTopicCounts = (row: TopicCounts): TopicCounts => ({
  topic_sent: row.topic_sent,
  opinion_injected: row.opinion_injected,
  commentary_generated: row.commentary_generated,
  creator_approved: row.creator_approved,
  declined: row.declined,
  expired: row.expired,
  abandoned: row.abandoned,
  cancelled: row.cancelled
})

const listedColumns = [
  "id",
  "external_reference",
  "content",
  "metadata",
  "output_types",
  "status",
  "creator_approved",
  "created_at",
  "updated_at",
  "version"
] as const

/**
 * The columns of a topic that a list shows. For lists, the query returns the sum of the eight counts, because SQLite
 * needs more time to return eight columns.
 */
export const listedColumnsSql = `${listedColumns.join(", ")}, ${assignmentStatuses.join(" + ")} AS total`

export type ListedTopicRow = Pick<TopicRow, (typeof listedColumns)[number]> & { readonly total: number }

export const listedTopicFromRow = (row: ListedTopicRow): ListedTopic => ({
  id: row.id,
  externalReference: row.external_reference,
  content: row.content,
  metadata: row.metadata,
  outputTypes: row.output_types,
  status: row.status,
  createdAt: row.created_at,
  approvedAssignments: row.creator_approved,
  totalAssignments: row.total,
  revision: makeTopicRevision(row)
})

export const fromRow = (row: Omit<TopicRow, "updated_at" | "version">): Topic => ({
  id: row.id,
  externalReference: row.external_reference,
  content: row.content,
  metadata: JSON.parse(row.metadata),
  outputTypes: JSON.parse(row.output_types),
  status: row.status,
  counts: pickTopicCounts(row),
  createdAt: fromIso(row.created_at),
  organizationId: row.organization_id,
  organizationName: row.organization_name,
  environment: row.environment,
  webhookIds: row.webhook_ids === null ? null : JSON.parse(row.webhook_ids)
})

export const toRow = (topic: Topic): Omit<TopicRow, "version"> => ({
  id: topic.id,
  organization_id: topic.organizationId,
  organization_name: topic.organizationName,
  environment: topic.environment,
  external_reference: topic.externalReference,
  content: topic.content,
  metadata: JSON.stringify(topic.metadata),
  output_types: JSON.stringify(topic.outputTypes),
  webhook_ids: topic.webhookIds === null ? null : JSON.stringify(topic.webhookIds),
  status: topic.status,
  ...topic.counts,
  created_at: toIso(topic.createdAt),
  updated_at: toIso(topic.createdAt)
})
