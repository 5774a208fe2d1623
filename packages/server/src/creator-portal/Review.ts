/** Renders the page of a draft that waits for the creator's approval. */
import { creatorTextLengthLimits } from "@partner-commentary/core/creator/CreatorPortal"
import type { Draft } from "@partner-commentary/core/topic/Assignment"
import { isGenerationStalled } from "@partner-commentary/core/topic/Workflow"
import type { CreatorAction } from "./CreatorAction.ts"
import { type Html, type HtmlContent, html } from "./Html.ts"
import {
  type CreatorPageContent,
  type CreatorPageData,
  draftElementId,
  makeTextFieldId,
  renderButton,
  renderForm,
  renderPersonaName,
  renderTextField,
  wrapInDetails
} from "./PageContent.ts"

export const renderReviewPage = (visit: CreatorPageData, draft: Draft): CreatorPageContent => {
  const { approveBy, generation, persona } = visit.assignment
  const isRevised = generation.nextAt !== null
  const forms: ReadonlyArray<CreatorAction> = isRevised
    ? ["withdraw"]
    : draft.number < visit.maxDrafts
      ? ["approve", "revise", "withdraw"]
      : ["approve", "withdraw"]
  return {
    status: isRevised ? "Another draft is being written" : "Waiting for your approval",
    title: isRevised ? "Another draft is on its way" : html`Would ${renderPersonaName(persona)} say this?`,
    lead: isRevised
      ? html`<span class="working">It is being written;</span> a mail comes as soon as it is there. <a href="${visit.address}">Look again</a> whenever you like. Until then, draft ${draft.number} is still yours to approve.`
      : html`The draft below was written from your view. Approve it as it stands, edit it first, or ask for another one. Nothing is handed out without your approval.`,
    step: 3,
    deadline: approveBy === null ? null : ["Approve by", approveBy],
    targets: [draftElementId, ...forms.map(makeTextFieldId)],
    body: html`${isGenerationStalled(visit.assignment) && html`<div class="said" role="status"><h2>The other draft could not be written</h2><p>We tried several times and have been told. Draft ${draft.number} stays as it is, and you can ask once more.</p></div>`}
<section class="sheet" id="${draftElementId}">
<h2>Draft ${draft.number}${draft.number > visit.maxDrafts - countedDown && html` <span class="note">of at most ${visit.maxDrafts}</span>`}</h2>
<div class="prose" dir="auto">${draft.content}</div>
${renderForm(visit, "approve", html`${draftId(draft)}${renderButton("Approve as it stands")}`)}
</section>
<section>
${isRevised ? renderInstructions(generation.revision?.instructions ?? "") : edits(visit, draft)}
${withdrawal(visit)}
</section>
<section>
<h2>Your view</h2>
<div class="prose" dir="auto">${visit.assignment.perspective}</div>
</section>`
  }
}

/** The pages of the last three possible drafts state the maximum number of drafts. */
const countedDown = 3

const draftId = (draft: Draft): Html => html`<input type="hidden" name="draft_id" value="${draft.id}">`

const renderInstructions = (instructions: string): HtmlContent =>
  instructions !== "" &&
  html`<details><summary>What you asked for</summary><div class="fold prose" dir="auto">${instructions}</div></details>`

const edits = (visit: CreatorPageData, draft: Draft): Html => {
  const { content, instructions } = creatorTextLengthLimits
  return html`${wrapInDetails(
    visit,
    "approve",
    "Edit the text, then approve it",
    renderForm(
      visit,
      "approve",
      html`${draftId(draft)}${renderTextField(visit, {
        action: "approve",
        label: "The text to approve",
        hint: `${content.min} to ${content.max} characters. It is handed out exactly as it stands here.`,
        rows: 12,
        value: draft.content,
        min: content.min
      })}${renderButton("Approve the edited text")}`
    )
  )}
${
  draft.number >= visit.maxDrafts
    ? html`<p class="note">This was the last draft that could be asked for.</p>`
    : wrapInDetails(
        visit,
        "revise",
        "Ask for another draft",
        renderForm(
          visit,
          "revise",
          html`${draftId(draft)}${renderTextField(visit, {
            action: "revise",
            label: "What should change? (optional)",
            hint: `At most ${instructions.max} characters. Shorter, sharper, another argument: just say so.`,
            rows: 4
          })}${renderButton("Ask for another draft", "quiet")}`
        )
      )
}`
}

const withdrawal = (visit: CreatorPageData): Html =>
  wrapInDetails(
    visit,
    "withdraw",
    "Withdraw from this request",
    renderForm(
      visit,
      "withdraw",
      html`${renderTextField(visit, {
        action: "withdraw",
        label: "Reason (optional)",
        hint: `At most ${creatorTextLengthLimits.reason.max} characters. Withdrawing is final: there will be no commentary.`,
        rows: 3
      })}${renderButton("Withdraw", "quiet")}`
    )
  )
