/** Others' words on a creator's page, without overrides of direction: they make a text read as what it is not. */
import type { AssignmentInContext } from "@partner-commentary/core/topic/AssignmentStore"

/** The topic, who asks, and the persona's name. The creator's own words stay as they were written. */
export const stripBidi = <View extends AssignmentInContext>(view: View): View => ({
  ...view,
  topic: {
    ...view.topic,
    content: straight(view.topic.content),
    organizationName: straight(view.topic.organizationName)
  },
  assignment: {
    ...view.assignment,
    persona: { ...view.assignment.persona, name: straight(view.assignment.persona.name) }
  }
})

/** Scripts that run from right to left need none of these. */
const straight = (text: string): string => text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
