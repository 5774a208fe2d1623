/** Lists the filters with which topics can be listed, and the index that a statement with each filter must use. */
import type { TopicQuery } from "@partner-commentary/core/topic/TopicStore"
import { day, start } from "@partner-commentary/testkit/support/Fixtures"

/**
 * Returns the pattern of the index that the statement must use. The pattern depends on the filter that the statement's
 * text contains.
 */
export const findExpectedIndexPattern = (text: string): RegExp =>
  text.includes("updated_at >")
    ? /topics_updated \(.*updated_at>\?|PRIMARY KEY \(id=/
    : text.includes("external_reference =")
      ? /topics_reference \(.*external_reference=\?|PRIMARY KEY \(id=/
      : /topics_(newest|status) \(|PRIMARY KEY \(id=|topics_of_tests/

/** Queries that together use every filter for listing topics. */
export const topicListFilters: ReadonlyArray<Partial<TopicQuery>> = [
  { oldestFirst: true },
  { status: ["pending", "completed"] },
  { status: null, reference: "a" },
  { created: { after: start, before: start + day } },
  { status: null, updatedAfter: start }
]
