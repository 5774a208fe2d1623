/**
 * Removes Unicode direction overrides from text that other people wrote. On a creator's page, direction overrides could
 * change the order of the characters that the creator sees.
 */
import type { AssignmentWithTopic } from "@partner-commentary/core/topic/AssignmentStore"

/** Cleans the topic, the organization's name and the persona's name. The creator's own text stays unchanged. */
export const stripBidi = <View extends AssignmentWithTopic>(view: View): View => ({
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

/**
 * Removes Unicode's bidirectional overrides, embeddings and isolates. Right-to-left scripts display correctly without
 * bidirectional control characters.
 */
const withoutBidi = (text: string): string => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
