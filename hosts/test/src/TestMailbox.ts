/**
 * Contains the mails that the service sent to creators and to organizations' contacts in a test. No mail leaves the
 * process.
 */
import type { MailMessage } from "@partner-commentary/core/mail/Mailer"
import { Mailbox } from "./Mailbox.ts"
import { formatList, TestPartnerCommentaryError } from "./TestError.ts"
import type { TestInstance } from "./TestInstance.ts"
import { checkMailRefusals } from "./TestOptions.ts"
import type { TestPersona } from "./TestSeed.ts"

/** A mail in the form that the mailer received. */
export interface TestMail {
  readonly to: { readonly name: string; readonly address: string }
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The creator's link, or null if the mail has no link. */
  readonly link: string | null
  /** The `share_id` of the assignment that the mail concerns, or null if the mail concerns no assignment. */
  readonly shareId: string | null
}

/** An e-mail address, or a persona. A persona stands for its creator's address. */
export type MailRecipient = string | TestPersona

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const toTestMail = ({ html, id, subject, text, to }: MailMessage): TestMail => {
  const [about = ""] = id.split(".")
  return {
    to,
    subject,
    text,
    html,
    link: /https?:\/\/\S+\/creator\/[\w-]+\.[\w-]+/.exec(text)?.[0] ?? null,
    shareId: uuid.test(about) ? about : null
  }
}

const addressOf = (addressee: MailRecipient): string =>
  typeof addressee === "string" ? addressee : addressee.creator.email

const describeMails = (mails: ReadonlyArray<TestMail>): string =>
  formatList(mails.map(({ subject, to }) => `“${subject}” to ${to.address}`))

/** All mails of an instance. */
export class TestMailbox {
  readonly #instance: TestInstance

  /** @internal */
  constructor(instance: TestInstance) {
    this.#instance = instance
  }

  /** All mails so far, in the order in which they were sent. */
  get all(): ReadonlyArray<TestMail> {
    return this.#instance.runSync(this.#instance.service(Mailbox).all).map(toTestMail)
  }

  /** Returns the mails to one address, in the order in which they were sent. */
  to(addressee: MailRecipient): ReadonlyArray<TestMail> {
    const address = addressOf(addressee)
    return this.all.filter(({ to }) => to.address === address)
  }

  /**
   * Returns the newest mail to one address. Throws an error that lists the existing mails if there is no mail to this
   * address.
   */
  latest(addressee: MailRecipient): TestMail {
    const found = this.to(addressee).at(-1)
    if (found !== undefined) return found
    const name = typeof addressee === "string" ? "" : `${addressee.name}’s creator, `
    throw new TestPartnerCommentaryError(
      `No mail was sent to ${name}${addressOf(addressee)}. Mails so far: ${describeMails(this.all)}. ` +
        "Was the topic's result for the persona “sent”, and with a live key? Creators of test keys are simulated and get no mails."
    )
  }

  /** Returns the newest mail to one address that contains a creator's link, or the newest mail if none has a link. */
  latestLink(addressee: MailRecipient): TestMail {
    return this.to(addressee).findLast(({ link }) => link !== null) ?? this.latest(addressee)
  }

  /** Returns the mails about one assignment. The assignment's `share_id` is in the submission's result. */
  about(shareId: string): ReadonlyArray<TestMail> {
    return this.all.filter((mail) => mail.shareId === shareId)
  }

  /**
   * Refuses the next mails, one mail for each argument. By default a refusal is permanent. With `permanent: false` the
   * mail is retried later.
   */
  refuseNext(...refusals: ReadonlyArray<{ readonly permanent: boolean }>): void {
    checkMailRefusals(refusals)
    this.#instance.runSync(this.#instance.service(Mailbox).refuseNext(...refusals))
  }
}
