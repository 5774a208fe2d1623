/**
 * Renders the HTML error pages: invalid link, rate limit, busy server, internal error. Error pages never show data of a
 * request.
 */
import { html } from "./Html.ts"
import { renderPageDocument } from "./PageDocument.ts"

const deadEnd = (title: string, sentence: string): string =>
  renderPageDocument({ title, main: html`<h1>${title}</h1><p class="lead">${sentence}</p>` })

export const notFoundPage = deadEnd(
  "This link does not work",
  "It may be mistyped, no longer valid, or replaced by a newer one. Please open the link in the latest mail you had from us."
)

export const renderTooManyRequestsPage = (seconds: number): string =>
  deadEnd(
    "One moment, please",
    `This link was used very often within a minute. Try again in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`
  )

export const busyPage = deadEnd(
  "One moment, please",
  "The server is busy. Go back, and copy what you wrote before you try again in a few seconds."
)

export const internalErrorPage = deadEnd(
  "Something went wrong on our side",
  "We have been told. Go back, and copy what you wrote before you try again."
)
