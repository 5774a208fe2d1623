/** What one state puts on a creator's page, and the pieces that several states share. */
import { utcDate } from "@partner-commentary/core/mail/CreatorNotices"
import * as Instant from "@partner-commentary/core/shared/Instant"
import type { Assignment } from "@partner-commentary/core/topic/Assignment"
import type { AssignmentInContext } from "@partner-commentary/core/topic/AssignmentStore"
import type * as Duration from "effect/Duration"
import { type Action, textOf } from "./CreatorAction.ts"
import { type Content, type Html, html } from "./Html.ts"
import type { Refusal } from "./Refusal.ts"

/** One look at one request. */
export interface Visit extends AssignmentInContext {
  /** The page's own address, without a slash at the end; forms post to what lies below it. */
  readonly address: string
  readonly now: Instant.Instant
  readonly maxDrafts: number
  /** How long the page can be read after the request is closed. */
  readonly readingWindow: Duration.Duration
  readonly refusal: Refusal | null
  /** A link to all open requests was just asked for. */
  readonly deskMailed: boolean
}

export interface Scene {
  /** Where things stand, in a few words. */
  readonly status: string
  readonly title: Content
  readonly lead: Content
  /** Which of the three steps is the present one; null once there are none. */
  readonly step: 1 | 2 | 3 | null
  readonly deadline: readonly [label: string, at: Instant.Instant] | null
  readonly body: Content
  /** The ids to be led to in the body: of its fields and its draft. None where nothing can be done. */
  readonly places: ReadonlyArray<string>
  readonly refreshAfter?: number
}

export const form = ({ address }: Visit, action: Action, content: Content): Html =>
  html`<form method="post" action="${address}/${action}">${content}</form>`

/** Folded away until asked for, or until what was typed in it was refused. */
export const fold = ({ refusal }: Visit, action: Action, summary: string, content: Content): Html => {
  const isRefused = refusal?.action === action && refusal.typed[textOf[action]] !== undefined
  return html`<details${isRefused && html` open`}><summary>${summary}</summary>${content}</details>`
}

export const fieldId = (action: Action): string => `${action}-${textOf[action]}`

/** The id of the present draft. */
export const draftPlace = "draft"

/** A labelled text field with its hint, what was typed, and what is wrong with it. */
export const textField = (
  { assignment, refusal }: Visit,
  field: {
    readonly action: Action
    readonly label: string
    readonly hint: string
    readonly rows: number
    readonly value?: string
    readonly min?: number
  }
): Html => {
  const id = fieldId(field.action)
  const name = textOf[field.action]
  const mine = refusal?.action === field.action ? refusal : null
  const typed = mine?.typed[name]
  const wrong = mine?.problem.field === name ? mine.says : null
  const stale =
    mine?.isStale &&
    typed &&
    html`<strong>You wrote this for an older draft, not for draft ${assignment.draft?.number}.</strong> `
  const required = field.min !== undefined && html` required minlength="${field.min}"`
  // A parser drops the first line break of a textarea: it gets one to drop.
  return html`<label for="${id}">${field.label}</label>
<p class="hint" id="${id}-hint">${stale}${field.hint}</p>
${wrong !== null && html`<p class="error" id="${id}-error">${wrong}</p>`}
<textarea id="${id}" name="${name}" rows="${field.rows}" dir="auto" aria-describedby="${id}-hint${wrong !== null && ` ${id}-error`}"${wrong !== null && html` aria-invalid="true"`}${required}>
${typed ?? field.value}</textarea>`
}

export const button = (label: string, kind: "main" | "quiet" = "main", describedBy?: string): Html =>
  html`<button${kind === "quiet" && html` class="quiet"`}${describedBy !== undefined && html` aria-describedby="${describedBy}"`}>${label}</button>`

/** A line ends between day and time if it must, and nowhere else. */
export const time = (instant: Instant.Instant): Html =>
  html`<time datetime="${Instant.toIso(instant)}">${utcDate(instant).replace(/(?<!,) /g, "\u00a0")}</time>`

/** In a headline: on one line if it fits there. */
export const personaName = ({ name }: Assignment["persona"]): Html => html`<bdi class="name">${name}</bdi>`

/** Somebody's own words, shown as they are. */
export const words = (heading: string, text: string, note?: Content): Html =>
  html`<section><h2>${heading}</h2>${note !== undefined && html`<p class="note">${note}</p>`}<div class="prose" dir="auto">${text}</div></section>`
