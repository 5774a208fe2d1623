/**
 * Renders the creator's page for one assignment: the topic, content that depends on the assignment's state, and a form
 * that requests an inbox link.
 */
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import { renderApprovedPage, renderDeadlinePassedPage, renderRequestClosedPage } from "./ClosedRequestPages.ts"
import { textFieldNameByAction } from "./CreatorAction.ts"
import { stripBidi } from "./CreatorView.ts"
import { renderDraftPendingPage } from "./DraftPending.ts"
import { html } from "./Html.ts"
import { renderInvitationPage } from "./Invitation.ts"
import {
  type CreatorPageContent,
  type CreatorPageData,
  draftElementId,
  makeTextFieldId,
  renderButton,
  renderTime
} from "./PageContent.ts"
import { renderPageDocument } from "./PageDocument.ts"
import type { ActionRefusal } from "./Refusal.ts"
import { renderReviewPage } from "./Review.ts"

export const renderCreatorPage = (given: CreatorPageData): string => {
  const visit = stripBidi(given)
  const { address, assignment, inboxMailed, refusal, topic } = visit
  const scene = sceneOf(visit)
  const { deadline, lead, refreshAfter, status, step, title } = scene
  const place = refusal === null ? null : targetOf(refusal, scene)
  // After a rejected action, the page omits the introduction and links to the field that the creator must correct.
  return renderPageDocument({
    title: `${refusal !== null ? "Not done: " : inboxMailed ? "Link on its way: " : ""}${status}`,
    status,
    refresh:
      refusal === null && refreshAfter !== undefined
        ? { after: refreshAfter, at: inboxMailed ? address : null }
        : undefined,
    main: html`${refusal !== null && summary(refusal, scene, place)}${inboxMailed && inboxMailedNotice(scene)}
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
${deadline !== null && html`<div><dt>${deadline[0]}</dt><dd>${renderTime(deadline[1])}</dd></div>`}
</dl>`
}
${scene.body}`,
    footer: html`${!inboxMailed && inboxForm(visit, scene)}<p>The link to this page is for you only: anyone who has it can act in your place.</p>`
  })
}

const sceneOf = (visit: CreatorPageData): CreatorPageContent => {
  const { approveBy, commentary, draft, failure, respondBy, status } = visit.assignment
  if (commentary !== null) return renderApprovedPage(visit, commentary)
  if (failure !== null) return renderRequestClosedPage(visit, failure.reason, failure.at)
  if (status === "topic_sent")
    return visit.now >= respondBy ? renderDeadlinePassedPage(visit, "expired") : renderInvitationPage(visit)
  if (draft === null) return renderDraftPendingPage(visit)
  return approveBy !== null && visit.now >= approveBy
    ? renderDeadlinePassedPage(visit, "approval_timeout")
    : renderReviewPage(visit, draft)
}

/** Returns the id of the element that the creator must correct, or null if the page has no such element. */
const targetOf = ({ action, isStale, problem }: ActionRefusal, { targets }: CreatorPageContent): string | null => {
  const id = makeTextFieldId(action)
  if (problem.field === textFieldNameByAction[action] && targets.includes(id)) return id
  return isStale && targets.includes(draftElementId) ? draftElementId : null
}

/** Renders the error message with a link to the field, and repeats the text that the creator entered. */
const summary = (
  { action, isStale, explanation, enteredText }: ActionRefusal,
  { targets }: CreatorPageContent,
  place: string | null
) => {
  const id = makeTextFieldId(action)
  const wrote = enteredText[textFieldNameByAction[action]]
  const hasField = targets.includes(id)
  return html`<div class="refused" role="alert">
<h2>That was not done</h2>
<p>${place === null ? explanation : html`<a href="#${place}">${explanation}</a>`}</p>
${isStale && wrote && hasField && html`<p><a href="#${id}">What you wrote</a> is kept in its field, but it was meant for the older draft.</p>`}
</div>
${wrote && !hasField && html`<section><h2>What you wrote</h2><p class="note">It was not saved; copy it if you need it.</p><div class="sheet prose" dir="auto">${wrote}</div></section>`}`
}

/**
 * Renders the confirmation that an inbox link was mailed. On pages with text fields, the confirmation opens in a second
 * browser tab.
 */
const inboxMailedNotice = ({ targets }: CreatorPageContent) => html`<div class="said" role="status">
<h2>A link to all your open requests is on its way to you by mail</h2>
<p>It works for 15 minutes.${targets.length > 0 && " If you were writing, your text is still in the tab you came from."}</p>
</div>`

/**
 * On a page with text fields, the form opens a new browser tab, so that the creator keeps the text already entered.
 */
const inboxForm = ({ address }: CreatorPageData, { targets }: CreatorPageContent) => {
  const isBeside = targets.length > 0
  return html`<form method="post" action="${address}/desk"${isBeside && html` target="_blank"`}>
<p>Are there other requests waiting for you?${isBeside && html` <span id="desk-beside">The answer opens in a new tab; what you are writing stays here.</span>`}</p>
${renderButton("Mail me a link to all of them", "quiet", isBeside ? "desk-beside" : undefined)}
</form>`
}

const steps = (present: 1 | 2 | 3) =>
  html`<ol class="steps" aria-label="Steps">${["Your view", "The draft", "Your approval"].map((label, at) =>
    at + 1 === present
      ? html`<li aria-current="step">${label}</li>`
      : html`<li${at + 1 < present && html` class="done"`}>${label}</li>`
  )}</ol>`

/** Returns two initials: from the first and the last word that contain a letter or a digit. */
const initials = ({ name }: Assignment["persona"]): string => {
  const letters = name.split(/\s+/).flatMap((word) => word.match(/[\p{L}\p{N}]/u) ?? [])
  return [letters[0], letters.length > 1 ? letters.at(-1) : ""].join("").toLocaleUpperCase("en")
}
