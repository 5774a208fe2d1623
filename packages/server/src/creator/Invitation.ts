/** The page of a request that waits for its creator's view. */
import { lengths } from "@partner-commentary/core/creator/CreatorDesk"
import { html } from "./Html.ts"
import { button, fold, form, type Scene, textField, type Visit } from "./Scene.ts"

export const invitation = (visit: Visit): Scene => {
  const { assignment, topic } = visit
  const persona = assignment.persona.name
  const { max, min } = lengths.perspective
  return {
    status: "Waiting for your view",
    title: `What does ${persona} think?`,
    lead: html`<bdi>${topic.organizationName}</bdi> asks for a comment by <bdi>${persona}</bdi>, the persona you speak for. Give your view; a draft is written from it, and nobody else sees it until you approve it.`,
    step: 1,
    deadline: ["Answer by", assignment.respondBy],
    offers: ["respond", "decline"],
    body: html`<section>
${form(
  visit,
  "respond",
  html`${textField(visit, {
    action: "respond",
    name: "perspective",
    label: "Your view",
    hint: `${min} to ${max} characters. What do you think, and why? Notes are enough: the draft brings them into form.`,
    rows: 9,
    min
  })}${button("Send my view")}`
)}
</section>
<section>
${fold(
  visit,
  "decline",
  "I would rather decline",
  form(
    visit,
    "decline",
    html`${textField(visit, {
      action: "decline",
      name: "reason",
      label: "Reason (optional)",
      hint: `At most ${lengths.reason.max} characters. Declining is final.`,
      rows: 3
    })}${button("Decline this request", "quiet")}`
  )
)}
</section>`
  }
}
