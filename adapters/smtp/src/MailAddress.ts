/** Checks the syntax of mail addresses. The check cannot know whether a mailbox exists. */
import { domainToASCII } from "node:url"
import * as Option from "effect/Option"
import addressparser from "nodemailer/lib/addressparser"

/** The parts of the setting `MAIL_FROM`, with the domain in ASCII form. */
export interface MailSender {
  readonly name: string
  readonly address: string
  readonly domain: string
}

/**
 * Matches the address of one mailbox. The pattern is stricter than RFC 5322, in which one string can contain several
 * mailboxes. The pattern refuses quoted local parts, comments, groups and address literals.
 */
const mailbox = /^[^\s\p{C}<>()[\]\\,;:"@]{1,64}@([^\s\p{C}<>()[\]\\,;:"@]+)$/u
const domain = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

/** Returns the domain of an address in ASCII form, or none if the address is invalid. */
export const extractMailDomain = (address: string): Option.Option<string> =>
  Option.fromNullishOr(mailbox.exec(address)?.[1]).pipe(
    Option.map(domainToASCII),
    Option.filter((ascii) => ascii.length <= 253 && domain.test(ascii))
  )

/** Parses `Name <address>` or a bare address. The result is none if the text is not exactly one valid mailbox. */
export const parseSender = (from: string): Option.Option<MailSender> => {
  const [only, ...others] = addressparser(from)
  return only?.address === undefined || others.length > 0 || /\p{Cc}/u.test(from)
    ? Option.none()
    : Option.map(extractMailDomain(only.address), (domain) => ({ name: only.name, address: only.address, domain }))
}
