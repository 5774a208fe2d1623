/** A creator's page of one request: the scene of its state, between who asks what and the way to all other requests. */
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import { stripBidi } from "./BidiText.ts"
import { textOf } from "./CreatorAction.ts"
import { html } from "./Html.ts"
import { invitation } from "./Invitation.ts"
import { approved, ended, tooLate } from "./Outcome.ts"
import { pageDocument } from "./PageDocument.ts"
import type { Refusal } from "./Refusal.ts"
import { review } from "./Review.ts"
import { button, draftPlace, fieldId, type Scene, time, type Visit } from "./Scene.ts"
import { writing } from "./Writing.ts"

export const creatorPage = (given: Visit): string => {
  const visit = stripBidi(given)
  const { address, assignment, deskMailed, refusal, topic } = visit
  const scene = sceneOf(visit)
  const { deadline, lead, refreshAfter, status, step, title } = scene
  const place = refusal === null ? null : placeOf(refusal, scene)
  // Who has something to mend has seen the introduction, and is brought to it past less.
  return pageDocument({
    title: `${refusal !== null ? "Not done: " : deskMailed ? "Link on its way: " : ""}${status}`,
    status,
    refresh:
      refusal === null && refreshAfter !== undefined
        ? { after: refreshAfter, at: deskMailed ? address : null }
        : undefined,
    main: html`${refusal !== null && summary(refusal, scene, place)}${deskMailed && mailed(scene)}
${step !== null && place === null && steps(step)}
<h1>${title}</h1>
${place === null && html`<p class="lead">${lead}</p>`}
<figure>
<figcaption><bdi>${topic.organizationName}</bdi> writes:</figcaption>
<blockquote dir="auto">${topic.content}</blockquote>
</figure>
${
  step !== null &&
  html`<dl class="facts who">
<div><dt>For the persona</dt><dd class="persona"><span class="initials" aria-hidden="true">${initials(assignment.persona)}</span><bdi>${assignment.persona.name}</bdi></dd></div>
${deadline !== null && html`<div><dt>${deadline[0]}</dt><dd>${time(deadline[1])}</dd></div>`}
</dl>`
}
${scene.body}`,
    footer: html`${!deskMailed && desk(visit, scene)}<p>The link to this page is yours alone: whoever has it can act in your place.</p>`
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

/** The id of what must be looked at to mend it, where it is on the page. */
const placeOf = ({ action, isStale, problem }: Refusal, { places }: Scene): string | null => {
  const id = fieldId(action)
  if (problem.field === textOf[action] && places.includes(id)) return id
  return isStale && places.includes(draftPlace) ? draftPlace : null
}

/** What went wrong, with the way to where it can be mended; and what was typed, or where it stands now. */
const summary = ({ action, isStale, says, typed }: Refusal, { places }: Scene, place: string | null) => {
  const id = fieldId(action)
  const wrote = typed[textOf[action]]
  const hasField = places.includes(id)
  return html`<div class="refused" role="alert">
<h2>That was not done</h2>
<p>${place === null ? says : html`<a href="#${place}">${says}</a>`}</p>
${isStale && wrote && hasField && html`<p><a href="#${id}">What you wrote</a> is kept in its field, but it was meant for the older draft.</p>`}
</div>
${wrote && !hasField && html`<section><h2>What you wrote</h2><p class="note">It was not saved; copy it if you need it.</p><div class="sheet prose" dir="auto">${wrote}</div></section>`}`
}

/** Where a page has something to type into, this one was opened beside it. */
const mailed = ({ places }: Scene) => html`<div class="said" role="status">
<h2>A link to all your open requests is on its way to you by mail</h2>
<p>It works for 15 minutes.${places.length > 0 && " If you were writing, your text is still in the tab you came from."}</p>
</div>`

/** Answered in a tab of its own where that would take away what is being typed. */
const desk = ({ address }: Visit, { places }: Scene) => {
  const isBeside = places.length > 0
  return html`<form method="post" action="${address}/desk"${isBeside && html` target="_blank"`}>
<p>Are there other requests waiting for you?${isBeside && html` <span id="desk-beside">The answer opens in a new tab; what you are writing stays here.</span>`}</p>
${button("Mail me a link to all of them", "quiet", isBeside ? "desk-beside" : undefined)}
</form>`
}

const steps = (present: 1 | 2 | 3) =>
  html`<ol class="steps" aria-label="Steps">${["Your view", "The draft", "Your approval"].map((label, at) =>
    at + 1 === present
      ? html`<li aria-current="step">${label}</li>`
      : html`<li${at + 1 < present && html` class="done"`}>${label}</li>`
  )}</ol>`

/** The first letters of the first and the last word that have any. */
const initials = ({ name }: Assignment["persona"]): string => {
  const letters = name.split(/\s+/).flatMap((word) => word.match(/[\p{L}\p{N}]/u) ?? [])
  return [letters[0], letters.length > 1 ? letters.at(-1) : ""].join("").toLocaleUpperCase("en")
}
