/** The service on a file, with mails as files in a folder: what the examples beside it mount. */
import { partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"

export interface Options {
  /** How partners and creators reach the service: `https://app.example`, or with a path, `https://app.example/commentary`. */
  readonly url: string
  /** A file, or `:memory:`. */
  readonly database: string
  /** A folder for the mails, until a mail server is there. */
  readonly outbox: string
  /** 32 characters or more, the same in every process: creators' links are signed with it. */
  readonly secret: string
}

export const openService = ({ database, outbox, secret, url }: Options) =>
  partnerCommentary({ url, secret, database: sqlite(database), mail: { outbox }, development: true })
