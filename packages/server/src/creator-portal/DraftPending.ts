/** Renders the creator's page while the first draft is being generated, and after its generation has failed. */
import { isGenerationStalled } from "@partner-commentary/core/topic/Workflow"
import { html } from "./Html.ts"
import {
  type CreatorPageContent,
  type CreatorPageData,
  renderButton,
  renderForm,
  renderQuotation,
  renderTime
} from "./PageContent.ts"

export const renderDraftPendingPage = (visit: CreatorPageData): CreatorPageContent =>
  isGenerationStalled(visit.assignment) ? stalled(visit) : running(visit)

const running = ({ assignment }: CreatorPageData): CreatorPageContent => ({
  status: "The draft is being written",
  title: "Your draft is being written",
  lead: html`Thank you: your view has arrived. <span class="working">This page looks again by itself.</span> You need not wait: a mail comes as soon as the draft is there.`,
  step: 2,
  deadline: null,
  targets: [],
  refreshAfter: 30,
  body: renderQuotation("Your view", assignment.perspective ?? "")
})

const stalled = (visit: CreatorPageData): CreatorPageContent => {
  const { giveUpAt } = visit.assignment.generation
  return {
    status: "The draft could not be written",
    title: "The draft could not be written",
    lead: "We tried several times and failed. Your view is kept, and we have been told. You can start again now or later.",
    step: 2,
    deadline: giveUpAt === null ? null : ["Start again by", giveUpAt],
    targets: [],
    body: html`<section>
${renderForm(visit, "revise", renderButton("Start again"))}
${giveUpAt !== null && html`<p class="note">If nobody starts again before ${renderTime(giveUpAt)}, the request closes without a commentary.</p>`}
</section>
${renderQuotation("Your view", visit.assignment.perspective ?? "")}`
  }
}
