/** Composes the texts of mails about requests. The functions are pure. */
import * as DateTime from "effect/DateTime"
import type { Instant } from "../shared/Instant.ts"
import type { Assignment } from "../topic/Assignment.ts"
import type { CreatorNoticeKind } from "../topic/Workflow.ts"
import { clipText, neutralizeText, type RenderedNotice, renderNotice, toOneLine } from "./NoticeText.ts"

interface QuotedTopic {
  readonly content: string
  readonly organizationName: string
}

/** Composes a mail about an assignment to the assignment's creator. */
export const composeNotice = (context: {
  readonly kind: CreatorNoticeKind
  readonly assignment: Assignment
  readonly topic: QuotedTopic
  readonly link: string
  /** The end of the response window. `respondBy` is set only for a mail whose delivery starts the response window. */
  readonly respondBy?: Instant
}): RenderedNotice => {
  const { assignment, kind, link, topic } = context
  const organization = toOneLine(topic.organizationName)
  const persona = toOneLine(assignment.persona.name)
  const { action, deadline, otherwise, paragraphs, subject, title } = letters[kind]({
    organization,
    persona,
    assignment,
    respondBy: context.respondBy ?? assignment.respondBy,
    isExact: context.respondBy !== undefined || assignment.isDeadlineFixed || assignment.notifiedAt !== null
  })
  return renderNotice({
    subject: `${subject}: “${clipText(toOneLine(topic.content).replaceAll("”", '"'), 50)}”`,
    title,
    paragraphs,
    quote: { source: organization, text: neutralizeText(topic.content) },
    facts: [["Asked by", organization], ["For", persona], ...(deadline === null ? [] : [deadline])],
    action: { label: action, link },
    after: [
      otherwise,
      kind === "cancelled" ? readOnlyLink : privateLink,
      `You get this mail because you speak for ${persona}. The quoted text is ${organization}’s, not ours; its addresses are made unclickable on purpose.`
    ]
  })
}

const privateLink =
  "This link is for you only: anyone who has this mail can answer in your place, so please do not forward it."

const readOnlyLink = "Anyone who has this mail can read the closed request, so please do not forward it."

/** Composes the mail with an inbox link. A creator requests this mail on the page of a request. */
export const composeInboxNotice = (context: { readonly link: string }): RenderedNotice =>
  renderNotice({
    subject: "Your link to all open requests",
    title: "All your open requests",
    paragraphs: ["You asked for a link to all requests that wait for you. Here it is. It works for 15 minutes."],
    quote: null,
    facts: [],
    action: { label: "Show my open requests", link: context.link },
    after: [
      "Did you not ask for it? Then do nothing: nothing changes, and the link stops working by itself.",
      privateLink
    ]
  })

/**
 * Composes a mail to the organization's contact about one failed mail. The text must not reveal the creator's address.
 */
export const composeUndeliverableNotice = (context: {
  readonly personaName: string
  readonly topic: QuotedTopic
  /** True if the creator had already answered the request when a later mail to the creator failed. */
  readonly answered: boolean
}): RenderedNotice => {
  const persona = toOneLine(context.personaName)
  const { answered } = context
  const subject = (name: string) =>
    answered ? `A mail about your request did not reach ${name}` : `Your request did not reach ${name}`
  return renderNotice({
    subject: subject(clipText(persona, 60)),
    title: subject(persona),
    paragraphs: [
      `We could not deliver ${answered ? "a mail about your request" : "your request"} to the creator who speaks for ${persona}: the mail was refused. We have been told as well, and can correct the address and send it again.`
    ],
    quote: { source: toOneLine(context.topic.organizationName), text: neutralizeText(context.topic.content) },
    facts: [["For", persona]],
    action: null,
    after: [
      answered
        ? "The creator has answered your request, and can go on by an earlier mail's link. If nothing changes in time, no commentary will come. You need not do anything."
        : "If nothing changes before the time to respond is over, the request expires. You need not do anything."
    ]
  })
}

/** Maximum number of requests that one mail about failed mails lists. */
export const maxRequestsPerSummaryMail = 10

/** Composes a mail to the organization's contact about failed mails for several requests. */
export const composeUndeliverableSummary = (context: {
  readonly requests: ReadonlyArray<{ readonly personaName: string; readonly topic: QuotedTopic }>
  readonly total: number
}): RenderedNotice => {
  const { requests, total } = context
  const further = total - requests.length
  return renderNotice({
    subject: `Mails about ${total} of your requests did not arrive`,
    title: `Mails about ${total} of your requests did not arrive`,
    paragraphs: [
      "We could not deliver mails about these requests to the creators who speak for the personas. We have been told as well, and can correct addresses and send the mails again."
    ],
    quote: null,
    facts: [
      ...requests.map(
        ({ personaName, topic }) =>
          [`For ${clipText(toOneLine(personaName), 60)}`, `“${clipText(toOneLine(topic.content), 100)}”`] as const
      ),
      ...(further > 0 ? [["Further requests", String(further)] as const] : [])
    ],
    action: null,
    after: [
      "A request that its creator never got expires if nothing changes in time. Where the creator has answered, an earlier mail's link still works. You need not do anything."
    ]
  })
}

/** Formats a time as `Thursday 14 May 2026, 14:00 UTC`. The time is rounded down to the minute. */
export const formatUtcDateTime = (instant: Instant): string => {
  const { day, hour, minute, month, weekDay, year } = DateTime.toPartsUtc(DateTime.makeUnsafe(instant))
  const two = (part: number) => String(part).padStart(2, "0")
  return `${weekDays[weekDay]} ${day} ${months[month - 1]} ${year}, ${two(hour)}:${two(minute)} UTC`
}

const weekDays = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ")
const months = "January February March April May June July August September October November December".split(" ")

/** Holds the parts of a mail that differ between the kinds of mail. */
interface Letter {
  readonly subject: string
  readonly title: string
  readonly paragraphs: ReadonlyArray<string>
  readonly deadline: readonly [label: string, value: string] | null
  readonly action: string
  /** A sentence that tells the creator what happens without an answer. */
  readonly otherwise: string
}

interface About {
  readonly organization: string
  readonly persona: string
  readonly assignment: Assignment
  readonly respondBy: Instant
  readonly isExact: boolean
}

const noCommentary = (organization: string) => `and ${organization} sees that there is no commentary`

const request = ({ isExact, organization, persona, respondBy }: About): Letter => ({
  subject: `${clipText(organization, 30)} asks ${clipText(persona, 25)}`,
  title: `${organization} asks for ${persona}’s view`,
  paragraphs: [
    `${organization} asks what ${persona}, the persona you speak for, thinks of the topic quoted below.`,
    "Write your view in a few sentences. A commentary is drafted from it, and nobody sees the draft but you until you approve it. You can also decline."
  ],
  deadline: [isExact ? "Answer by" : "Answer at the latest by", formatUtcDateTime(respondBy)],
  action: "Answer or decline",
  otherwise: `If you do nothing, the request closes at that time ${noCommentary(organization)}.${isExact ? "" : " The page behind the link shows the exact time."}`
})

const approval = (about: About): Pick<Letter, "deadline" | "action" | "otherwise"> => ({
  deadline: about.assignment.approveBy === null ? null : ["Approve by", formatUtcDateTime(about.assignment.approveBy)],
  action: "Read the draft",
  otherwise: `If you do nothing, the draft is dropped at that time ${noCommentary(about.organization)}. Nothing is ever handed out without your approval.`
})

const letters: Readonly<Record<CreatorNoticeKind, (about: About) => Letter>> = {
  request,
  reminder: (about) => ({
    ...request(about),
    subject: `Reminder: ${clipText(about.organization, 25)} asks ${clipText(about.persona, 20)}`,
    title: `${about.organization} still waits for ${about.persona}’s view`
  }),
  draft: (about) => ({
    ...approval(about),
    subject: `A draft for ${clipText(about.persona, 40)} is ready`,
    title: `A draft for ${about.persona} is ready`,
    paragraphs: [
      "A commentary was drafted from your view. Read it, then approve it as it stands, edit it first, or ask for another draft."
    ]
  }),
  approval_reminder: (about) => ({
    ...approval(about),
    subject: `The draft for ${clipText(about.persona, 30)} still waits for you`,
    title: `The draft for ${about.persona} still waits for you`,
    paragraphs: [
      "You have not approved it yet. You can approve it as it stands, edit it first, or ask for another draft."
    ]
  }),
  approval_last_call: (about) => ({
    ...approval(about),
    subject: `Last call: the draft for ${clipText(about.persona, 30)}`,
    title: `Last call: the draft for ${about.persona} is about to be dropped`,
    paragraphs: ["This is the last reminder. You can approve the draft as it stands, edit it first, or withdraw."]
  }),
  cancelled: (about) => ({
    subject: `${clipText(about.organization, 30)} no longer needs ${clipText(about.persona, 25)}’s view`,
    title: `${about.organization} no longer needs ${about.persona}’s view`,
    paragraphs: [`${about.organization} has cancelled the topic quoted below. You need not answer it any more.`],
    deadline: null,
    action: "Show the closed request",
    otherwise: "There is nothing left to do."
  }),
  stalled: (about) => {
    const { draft, generation } = about.assignment
    const subject = `The draft for ${clipText(about.persona, 30)} could not be written`
    if (draft !== null) {
      const paragraphs = [
        `The other draft that you asked for could not be written. Draft ${draft.number} stays as it is: approve it, edit it, or ask once more.`
      ]
      return { ...approval(about), subject, title: "The other draft could not be written", paragraphs }
    }
    return {
      subject,
      title: `The draft for ${about.persona} could not be written`,
      paragraphs: [
        "We tried several times and failed. Your view is kept. We have been told too; you can start again yourself with the link below."
      ],
      deadline: generation.giveUpAt === null ? null : ["Start again by", formatUtcDateTime(generation.giveUpAt)],
      action: "Start again",
      otherwise: `If nobody starts again, the request closes at that time ${noCommentary(about.organization)}.`
    }
  }
}
