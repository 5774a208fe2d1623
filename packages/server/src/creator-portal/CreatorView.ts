/**
 * Maps an assignment to the JSON form of a creator's page, and removes Unicode direction overrides from the HTML form.
 */
import * as Instant from "@partner-commentary/core/shared/Instant"
import { type Assignment, isAssignmentSettled } from "@partner-commentary/core/topic/Assignment"
import type { AssignmentWithTopic } from "@partner-commentary/core/topic/AssignmentStore"
import { isGenerationStalled } from "@partner-commentary/core/topic/Workflow"

export const toCreatorPageJson = ({ assignment, topic }: AssignmentWithTopic, avatar: string) => {
  const { commentary, draft, failure, generation, id, persona, perspective, status } = assignment
  return {
    share_id: id,
    status,
    status_updated_at: Instant.toIso(assignment.statusUpdatedAt),
    organization: { name: topic.organizationName },
    persona: { id: persona.id, name: persona.name, image_url: persona.imageUrl || avatar },
    topic: { content: topic.content },
    perspective,
    draft: draft && {
      id: draft.id,
      content: draft.content,
      number: draft.number,
      created_at: Instant.toIso(draft.createdAt)
    },
    generation: generation.nextAt !== null ? "running" : isGenerationStalled(assignment) ? "stalled" : null,
    commentary: commentary && {
      id: commentary.id,
      content: commentary.content,
      approved_at: Instant.toIso(commentary.approvedAt)
    },
    expires_at: orNull(findCurrentDeadline(assignment)),
    failure: failure && { reason: failure.reason, at: Instant.toIso(failure.at) }
  }
}

/** Returns the deadline of the assignment's present state; null when the state has no deadline. */
export const findCurrentDeadline = (assignment: Assignment): Instant.Instant | null => {
  if (isAssignmentSettled(assignment)) return null
  if (assignment.status === "topic_sent") return assignment.respondBy
  return assignment.status === "commentary_generated" ? assignment.approveBy : assignment.generation.giveUpAt
}

const orNull = (instant: Instant.Instant | null): string | null => (instant === null ? null : Instant.toIso(instant))

/**
 * Removes Unicode direction overrides from the topic, the organization's name and the persona's name. On a creator's
 * page, direction overrides could change the order of the characters that the creator sees. The creator's own text
 * stays unchanged.
 */
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
