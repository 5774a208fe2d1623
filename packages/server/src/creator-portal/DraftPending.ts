/** The page of a request whose first draft is being generated, or failed. */
import { isStalled } from "@partner-commentary/core/topic/Workflow"
import { html } from "./Html.ts"
import { button, form, type PageContent, quoted, time, type Visit } from "./PageContent.ts"

export const draftPending = (visit: Visit): PageContent =>
  isStalled(visit.assignment) ? stalled(visit) : running(visit)

const running = ({ assignment }: Visit): PageContent => ({
  status: "The draft is being written",
  title: "Your draft is being written",
  lead: html`Thank you: your view has arrived. <span class="working">This page looks again by itself.</span> You need not wait: a mail comes as soon as the draft is there.`,
  step: 2,
  deadline: null,
  targets: [],
  refreshAfter: 30,
  body: quoted("Your view", assignment.perspective ?? "")
})

const stalled = (visit: Visit): PageContent => {
  const { giveUpAt } = visit.assignment.generation
  return {
    status: "The draft could not be written",
    title: "The draft could not be written",
    lead: "We tried several times and failed. Your view is kept, and we have been told. You can start again now or later.",
    step: 2,
    deadline: giveUpAt === null ? null : ["Start again by", giveUpAt],
    targets: [],
    body: html`<section>
${form(visit, "revise", button("Start again"))}
${giveUpAt !== null && html`<p class="note">If nobody starts again before ${time(giveUpAt)}, the request closes without a commentary.</p>`}
</section>
${quoted("Your view", visit.assignment.perspective ?? "")}`
  }
}
