/** Renders the pages of closed requests. */
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { ApprovedCommentary, FailureReason } from "@partner-commentary/core/topic/Assignment"
import { html } from "./Html.ts"
import { type CreatorPageContent, type CreatorPageData, renderQuotation, renderTime } from "./PageContent.ts"

export const renderApprovedPage = (
  { assignment, readingWindow, topic }: CreatorPageData,
  { approvedAt, content }: ApprovedCommentary
): CreatorPageContent => ({
  status: "Approved",
  title: "Approved. Thank you.",
  lead: html`<bdi>${topic.organizationName}</bdi> can now fetch this commentary by <bdi>${assignment.persona.name}</bdi>. There is nothing left to do.`,
  step: null,
  deadline: null,
  targets: [],
  body: html`<section class="sheet"><h2>The approved text</h2><div class="prose" dir="auto">${content}</div></section>
<p class="note">Approved on ${renderTime(approvedAt)}. This page can be read until ${renderTime(Instant.plus(approvedAt, readingWindow))}; nothing on it can be changed any more.</p>`
})

/** Renders the page of a request whose deadline has passed, even before the worker has stored the expiry. */
export const renderDeadlinePassedPage = (
  visit: CreatorPageData,
  reason: "expired" | "approval_timeout"
): CreatorPageContent => renderRequestClosedPage(visit, reason, null)

export const renderRequestClosedPage = (
  visit: CreatorPageData,
  reason: FailureReason,
  at: Instant.Instant | null
): CreatorPageContent => {
  const { assignment, readingWindow, topic } = visit
  const { meaning, status, title } = endings[reason]
  const said = assignment.declineReason ?? assignment.withdrawReason
  return {
    status,
    title,
    lead: html`${meaning} <bdi>${topic.organizationName}</bdi> sees that there is no commentary by <bdi>${assignment.persona.name}</bdi>. There is nothing left to do.`,
    step: null,
    deadline: null,
    targets: [],
    body: html`${said !== null && renderQuotation("Your reason", said)}
${assignment.perspective !== null && renderQuotation("Your view", assignment.perspective)}
${at !== null && html`<p class="note">Closed on ${renderTime(at)}. This page can be read until ${renderTime(Instant.plus(at, readingWindow))}.</p>`}`
  }
}

const endings: Readonly<
  Record<FailureReason, { readonly status: string; readonly title: string; readonly meaning: string }>
> = {
  declined: { status: "Declined", title: "You declined this request", meaning: "Thank you for letting us know." },
  expired: {
    status: "Expired",
    title: "This request has expired",
    meaning: "No answer came in time, so it was closed."
  },
  generation_failed: {
    status: "Closed without a commentary",
    title: "No draft could be written",
    meaning: "All attempts failed, and nobody started again in time. We are sorry."
  },
  approval_timeout: {
    status: "Closed without a commentary",
    title: "The time to approve is over",
    meaning: "The draft was not approved in time, so it was dropped and goes nowhere."
  },
  withdrawn: {
    status: "Withdrawn",
    title: "You withdrew from this request",
    meaning: "The draft was dropped and goes nowhere."
  },
  cancelled: {
    status: "Cancelled",
    title: "This request was cancelled",
    meaning: "The organization no longer needs an answer."
  }
}
