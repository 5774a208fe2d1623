/** A creator's page of one request: the scene of its state, between who asks what and the way to all other requests. */
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import { html } from "./Html.ts"
import { invitation } from "./Invitation.ts"
import { approved, ended, tooLate } from "./Outcome.ts"
import { pageDocument } from "./PageDocument.ts"
import type { Refusal } from "./Refusal.ts"
import { review } from "./Review.ts"
import { button, fieldId, form, type Scene, time, type Visit } from "./Scene.ts"
import { writing } from "./Writing.ts"

export const creatorPage = (visit: Visit): string => {
  const { assignment, refusal, topic } = visit
  const scene = sceneOf(visit)
  const { deadline, refreshAfter, step } = scene
  return pageDocument({
    title: `${refusal === null ? "" : "Not done: "}${scene.status}`,
    status: scene.status,
    refreshAfter: refusal === null ? refreshAfter : undefined,
    main: html`${refusal !== null && summary(refusal, scene)}
${step !== null && steps(step)}
<h1>${scene.title}</h1>
<p class="lead">${scene.lead}</p>
<figure>
<figcaption><bdi>${topic.organizationName}</bdi> writes:</figcaption>
<blockquote dir="auto">${topic.content}</blockquote>
</figure>
<dl class="facts">
<div><dt>Asked by</dt><dd><bdi>${topic.organizationName}</bdi></dd></div>
<div><dt>For the persona</dt><dd class="persona"><span class="initials" aria-hidden="true">${initials(assignment.persona.name)}</span><bdi>${assignment.persona.name}</bdi></dd></div>
${deadline !== null && html`<div><dt>${deadline[0]}</dt><dd>${time(deadline[1])}</dd></div>`}
</dl>
${scene.body}`,
    footer: html`${
      visit.deskMailed
        ? html`<p role="status"><strong>A link to all your open requests is on its way to you by mail.</strong> It works for 15 minutes.</p>`
        : form(
            visit,
            "desk",
            html`<p>Are there other requests waiting for you?</p>${button("Mail me a link to all of them", "quiet")}`
          )
    }<p>The link to this page is yours alone: whoever has it can act in your place.</p>`
  })
}

const sceneOf = (visit: Visit): Scene => {
  const { approveBy, commentary, draft, failure, respondBy, status } = visit.assignment
  if (commentary !== null) return approved(visit, commentary)
  if (failure !== null) return ended(visit, failure.reason, failure.at)
  if (status === "topic_sent") return visit.now >= respondBy ? tooLate(visit, "expired") : invitation(visit)
  if (draft === null) return writing(visit)
  return approveBy !== null && visit.now >= approveBy ? tooLate(visit, "approval_timeout") : review(visit, draft)
}

/** What went wrong, with the way to the field; and what was typed, where its field is gone. */
const summary = ({ action, problem, says, typed }: Refusal, { offers }: Scene) => {
  const offered = action !== "desk" && offers.includes(action)
  const atField = offered && problem.field in typed && problem.field !== "draft_id"
  const lost = offered ? undefined : typed.perspective || typed.content || typed.instructions || typed.reason
  return html`<div class="refused" role="alert">
<h2>That was not done</h2>
<p>${atField ? html`<a href="#${fieldId(action, problem.field)}">${says}</a>` : says}</p>
</div>
${lost && html`<section><h2>What you wrote</h2><p class="note">It was not saved; copy it if you need it.</p><div class="sheet prose" dir="auto">${lost}</div></section>`}`
}

const steps = (present: 1 | 2 | 3) =>
  html`<ol class="steps" aria-label="Steps">${["Your view", "The draft", "Your approval"].map((label, at) =>
    at + 1 === present
      ? html`<li aria-current="step">${label}</li>`
      : html`<li${at + 1 < present && html` class="done"`}>${label}</li>`
  )}</ol>`

/** The first letters of the first and the last word. */
const initials = (name: Assignment["persona"]["name"]): string => {
  const letters = name.split(/\s+/).map((word) => Array.from(word)[0] ?? "")
  return [letters[0], letters.length > 1 ? letters.at(-1) : ""].join("").toLocaleUpperCase("en")
}
