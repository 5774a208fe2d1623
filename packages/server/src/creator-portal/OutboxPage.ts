/**
 * Renders the development outbox, which shows mails instead of sending them. The host application stores the mails and
 * adds the routes of the outbox pages.
 */
import { type Html, html } from "./Html.ts"
import { renderPageDocument } from "./PageDocument.ts"

export interface OutboxMail {
  readonly file: string
  readonly date: string
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/**
 * `address` is the URL of the outbox without a trailing slash. The URL of a mail is `address`, a slash and the mail's
 * file name.
 */
export const renderOutboxPage = (mails: ReadonlyArray<Omit<OutboxMail, "text">>, address: string): string =>
  renderPageDocument({
    title: "Outbox",
    status: "Development",
    main: html`<h1>Outbox</h1>
<p class="lead">${mails.length === 0 ? "No mail has been sent yet." : "Mails that would have gone out, in development only."}</p>
${
  mails.length > 0 &&
  html`<figure><table>
<thead><tr><th scope="col">Sent</th><th scope="col">To</th><th scope="col">Subject</th></tr></thead>
<tbody>${mails.map(
    ({ date, file, subject, to }) =>
      html`<tr><td>${date}</td><td>${to}</td><td><a href="${address}/${encodeURIComponent(file.toWellFormed())}">${subject}</a></td></tr>`
  )}</tbody>
</table></figure>`
}`
  })

export const renderOutboxMailPage = ({ date, from, subject, text, to }: OutboxMail, address: string): string =>
  renderPageDocument({
    title: subject,
    status: "Development",
    main: html`<p><a href="${address}">All mails</a></p>
<h1>${subject}</h1>
<dl class="facts"><div><dt>To</dt><dd>${to}</dd></div><div><dt>From</dt><dd>${from}</dd></div><div><dt>Sent</dt><dd>${date}</dd></div></dl>
<pre dir="auto">${linkUrls(text)}</pre>`
  })

/**
 * Turns complete URLs into links. The mail templates break up URLs in quoted text, so those URLs do not become links.
 */
const linkUrls = (text: string): ReadonlyArray<string | Html> =>
  text.split(/(https?:\/\/[^\s<>"']+)/).map((part, at) => (at % 2 === 1 ? html`<a href="${part}">${part}</a>` : part))
