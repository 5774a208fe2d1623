/** Renders the inbox page, which lists all open requests of one creator. */
import type { OpenCreatorRequests } from "@partner-commentary/core/creator/CreatorPortal"
import { maxCountedFurtherAssignments } from "@partner-commentary/core/topic/AssignmentStore"
import { isGenerationStalled } from "@partner-commentary/core/topic/Workflow"
import { findCurrentDeadline, stripBidi } from "./CreatorView.ts"
import { html } from "./Html.ts"
import { renderTime } from "./PageContent.ts"
import { renderPageDocument } from "./PageDocument.ts"

type OpenRequest = OpenCreatorRequests["requests"][number]

export const renderInboxPage = ({ further, requests }: OpenCreatorRequests): string => {
  const total = requests.length + further
  const status =
    total === 0 ? "Nothing open" : total === 1 ? "1 open request" : `${number(total, further)} open requests`
  return renderPageDocument({
    title: status,
    status,
    main: html`<h1>Your open requests</h1>
<p class="lead">${requests.length === 0 ? "Nothing waits for you at the moment." : "Oldest first. Each opens on a page of its own."}</p>
${further > 0 && html`<p class="note">Shown: ${requests.length}, the oldest of everybody who asks. Not shown: <strong>${number(further, further)}</strong>. They come up here as you settle these.</p>`}
${requests.length > 0 && html`<ul class="requests">${requests.map(stripBidi).map(item)}</ul>`}`,
    footer: html`<p>The link to this page works for 15 minutes. It is for you only: anyone who has it can act in your place.</p>`
  })
}

/** Adds "or more" when further requests exist beyond the counting limit. */
const number = (count: number, further: number) =>
  `${count.toLocaleString("en-US")}${further >= maxCountedFurtherAssignments ? " or more" : ""}`

const item = ({ assignment, link, topic }: OpenRequest) => {
  const deadline = findCurrentDeadline(assignment)
  return html`<li>
<a href="${link}" dir="auto">${clip(topic.content)}</a>
<p><bdi>${topic.organizationName}</bdi> asks <bdi>${assignment.persona.name}</bdi></p>
<p class="note"><strong>${statusText(assignment)}</strong>${deadline !== null && html` until ${renderTime(deadline)}`}</p>
</li>`
}

const statusText = (assignment: OpenRequest["assignment"]): string => {
  if (assignment.status === "topic_sent") return "Waits for your view"
  if (assignment.generation.nextAt !== null) return "A draft is being written"
  if (assignment.draft !== null) return "Waits for your approval"
  return isGenerationStalled(assignment) ? "Can be started again" : "A draft is being written"
}

const clip = (text: string): string => {
  const characters = Array.from(text)
  return characters.length <= 160 ? text : `${characters.slice(0, 159).join("").trimEnd()}…`
}
