/** Renders the page of a request that waits for the creator's view of the topic. */
import { creatorTextLengthLimits } from "@partner-commentary/core/creator/CreatorPortal"
import { html } from "./Html.ts"
import {
  type CreatorPageContent,
  type CreatorPageData,
  makeTextFieldId,
  renderButton,
  renderForm,
  renderPersonaName,
  renderTextField,
  wrapInDetails
} from "./PageContent.ts"

export const renderInvitationPage = (visit: CreatorPageData): CreatorPageContent => {
  const { persona, respondBy } = visit.assignment
  const { max, min } = creatorTextLengthLimits.perspective
  return {
    status: "Waiting for your view",
    title: html`What does ${renderPersonaName(persona)} think?`,
    lead: "You speak for this persona. Give your view: a draft is written from it, and nobody else sees it until you approve it.",
    step: 1,
    deadline: ["Answer by", respondBy],
    targets: [makeTextFieldId("respond"), makeTextFieldId("decline")],
    body: html`<section>
${renderForm(
  visit,
  "respond",
  html`${renderTextField(visit, {
    action: "respond",
    label: "Your view",
    hint: `${min} to ${max} characters. Notes are enough: the draft brings them into form.`,
    rows: 9,
    min
  })}${renderButton("Send my view")}`
)}
</section>
<section>
${wrapInDetails(
  visit,
  "decline",
  "I would rather decline",
  renderForm(
    visit,
    "decline",
    html`${renderTextField(visit, {
      action: "decline",
      label: "Reason (optional)",
      hint: `At most ${creatorTextLengthLimits.reason.max} characters. Declining is final.`,
      rows: 3
    })}${renderButton("Decline this request", "quiet")}`
  )
)}
</section>`
  }
}
