/** Lists the filters of the list of topics, and the index that each filter uses. */
import type { TopicQuery } from "@partner-commentary/core/topic/TopicStore"
import { day, start } from "@partner-commentary/testkit/support/Fixtures"

/** The index that a statement with the filter must use. */
export const indexPatternOf = (text: string): RegExp =>
  text.includes("updated_at >")
    ? /topics_updated \(.*updated_at>\?|PRIMARY KEY \(id=/
    : text.includes("external_reference =")
      ? /topics_reference \(.*external_reference=\?|PRIMARY KEY \(id=/
      : /topics_(newest|status) \(|PRIMARY KEY \(id=|topics_of_tests/

/** All filters of the list of topics. */
export const filters: ReadonlyArray<Partial<TopicQuery>> = [
  { oldestFirst: true },
  { status: ["pending", "completed"] },
  { status: null, reference: "a" },
  { created: { after: start, before: start + day } },
  { status: null, updatedAfter: start }
]
