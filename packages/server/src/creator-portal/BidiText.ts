/**
 * Removes direction overrides from other people's text on a creator's page, because they can reorder what the reader
 * sees.
 */
import type { AssignmentInContext } from "@partner-commentary/core/topic/AssignmentStore"

/** It cleans the topic, the organization and the persona's name. The creator's own text stays unchanged. */
export const stripBidi = <View extends AssignmentInContext>(view: View): View => ({
  ...view,
  topic: {
    ...view.topic,
    content: withoutBidi(view.topic.content),
    organizationName: withoutBidi(view.topic.organizationName)
  },
  assignment: {
    ...view.assignment,
    persona: { ...view.assignment.persona, name: withoutBidi(view.assignment.persona.name) }
  }
})

/** Removes bidirectional overrides, embeddings and isolates. Right-to-left scripts do not need them. */
const withoutBidi = (text: string): string => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
