/** Addresses that mail can go to or come from. Whether anybody reads there, only a server knows. */
import { domainToASCII } from "node:url"
import * as Option from "effect/Option"
import addressparser from "nodemailer/lib/addressparser"

/** `MAIL_FROM`, taken apart. `domain` is in its ASCII form. */
export interface Sender {
  readonly name: string
  readonly address: string
  readonly domain: string
}

/**
 * Stricter than RFC 5322, which would let one string name several mailboxes: no quoted local parts, comments, groups or
 * address literals.
 */
const mailbox = /^[^\s\p{C}<>()[\]\\,;:"@]{1,64}@([^\s\p{C}<>()[\]\\,;:"@]+)$/u
const domain = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

/** The domain in its ASCII form; none if no mail can ever go to this address. */
export const domainOf = (address: string): Option.Option<string> =>
  Option.fromNullishOr(mailbox.exec(address)?.[1]).pipe(
    Option.map(domainToASCII),
    Option.filter((ascii) => ascii.length <= 253 && domain.test(ascii))
  )

/** `Name <address>` or a bare address; none if it is anything but exactly one possible mailbox. */
export const parseSender = (from: string): Option.Option<Sender> => {
  const [only, ...others] = addressparser(from)
  return only?.address === undefined || others.length > 0 || /\p{Cc}/u.test(from)
    ? Option.none()
    : Option.map(domainOf(only.address), (domain) => ({ name: only.name, address: only.address, domain }))
}
