/** Lists the filters with which topics can be listed, and the index that a statement with each filter must use. */
import type { TopicQuery } from "@partner-commentary/core/topic/TopicStore"
import { day, start } from "@partner-commentary/testkit/support/Fixtures"

/**
 * Returns a pattern for SQLite's query plan. The plan of a statement with the given text must match the pattern, so
 * that the statement uses an index.
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
