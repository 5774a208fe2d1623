/** Defines the parts of a creator's page that differ by state, and renders components that several pages share. */
import { formatUtcDateTime } from "@partner-commentary/core/mail/CreatorNotices"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import type { AssignmentWithTopic } from "@partner-commentary/core/topic/AssignmentStore"
import type * as Duration from "effect/Duration"
import { type CreatorAction, textFieldNameByAction } from "./CreatorAction.ts"
import { type Html, type HtmlContent, html } from "./Html.ts"
import type { ActionRefusal } from "./Refusal.ts"

/** The data for rendering one view of a creator's page. */
export interface CreatorPageData extends AssignmentWithTopic {
  /** The URL of the creator's page without a trailing slash. Forms post to URLs below the URL of the page. */
  readonly address: string
  readonly now: Instant.Instant
  readonly maxDrafts: number
  /** The duration for which the creator can read the page after the request is closed. */
  readonly readingWindow: Duration.Duration
  readonly refusal: ActionRefusal | null
  /** True when an inbox link was just mailed to the creator. */
  readonly inboxMailed: boolean
}

export interface CreatorPageContent {
  /** A short text that tells the status of the request. */
  readonly status: string
  readonly title: HtmlContent
  readonly lead: HtmlContent
  /** The number of the current step; null when the request is closed. */
  readonly step: 1 | 2 | 3 | null
  readonly deadline: readonly [label: string, at: Instant.Instant] | null
  readonly body: HtmlContent
  /**
   * The ids of the page's text fields and of its draft, as link targets. The list of link targets is empty if the
   * creator cannot act.
   */
  readonly targets: ReadonlyArray<string>
  readonly refreshAfter?: number
}

export const renderForm = ({ address }: CreatorPageData, action: CreatorAction, content: HtmlContent): Html =>
  html`<form method="post" action="${address}/${action}">${content}</form>`

/** Renders a form that is collapsed unless its input was rejected. */
export const wrapInDetails = (
  { refusal }: CreatorPageData,
  action: CreatorAction,
  summary: string,
  content: HtmlContent
): Html => {
  const isRefused = refusal?.action === action && refusal.enteredText[textFieldNameByAction[action]] !== undefined
  return html`<details${isRefused && html` open`}><summary>${summary}</summary>${content}</details>`
}

export const makeTextFieldId = (action: CreatorAction): string => `${action}-${textFieldNameByAction[action]}`

/** The element id of the current draft. */
export const draftElementId = "draft"

/** Renders a text field with its label, its hint, the entered text and the error message. */
export const renderTextField = (
  { assignment, refusal }: CreatorPageData,
  field: {
    readonly action: CreatorAction
    readonly label: string
    readonly hint: string
    readonly rows: number
    readonly value?: string
    readonly min?: number
  }
): Html => {
  const id = makeTextFieldId(field.action)
  const name = textFieldNameByAction[field.action]
  const mine = refusal?.action === field.action ? refusal : null
  const enteredText = mine?.enteredText[name]
  const wrong = mine?.problem.field === name ? mine.explanation : null
  const stale =
    mine?.isStale &&
    enteredText &&
    html`<strong>You wrote this for an older draft, not for draft ${assignment.draft?.number}.</strong> `
  const required = field.min !== undefined && html` required minlength="${field.min}"`
  // HTML parsers drop the first line break of a textarea, so the page adds a line break.
  return html`<label for="${id}">${field.label}</label>
<p class="hint" id="${id}-hint">${stale}${field.hint}</p>
${wrong !== null && html`<p class="error" id="${id}-error">${wrong}</p>`}
<textarea id="${id}" name="${name}" rows="${field.rows}" dir="auto" aria-describedby="${id}-hint${wrong !== null && ` ${id}-error`}"${wrong !== null && html` aria-invalid="true"`}${required}>
${enteredText ?? field.value}</textarea>`
}

export const renderButton = (label: string, kind: "main" | "quiet" = "main", describedBy?: string): Html =>
  html`<button${kind === "quiet" && html` class="quiet"`}${describedBy !== undefined && html` aria-describedby="${describedBy}"`}>${label}</button>`

/** Renders a time. A line can break only between the day and the time of day. */
export const renderTime = (instant: Instant.Instant): Html =>
  html`<time datetime="${Instant.toIso(instant)}">${formatUtcDateTime(instant).replace(/(?<!,) /g, "\u00a0")}</time>`

/** Renders the persona's name. In a headline, the persona's name stays on one line if the name fits. */
export const renderPersonaName = ({ name }: Assignment["persona"]): Html => html`<bdi class="name">${name}</bdi>`

/** Renders a person's text verbatim. */
export const renderQuotation = (heading: string, text: string, note?: HtmlContent): Html =>
  html`<section><h2>${heading}</h2>${note !== undefined && html`<p class="note">${note}</p>`}<div class="prose" dir="auto">${text}</div></section>`
