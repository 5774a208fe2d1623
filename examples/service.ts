/** Opens the service on a database file and writes mails to a folder. Other examples mount this service. */
import { partnerCommentary } from "partner-commentary"
import { sqlite } from "partner-commentary/sqlite"

export interface OpenServiceOptions {
  /**
   * The URL at which partners and creators reach the service, with or without a path: `https://app.example/commentary`.
   */
  readonly url: string
  /** The path of a database file, or `:memory:`. */
  readonly database: string
  /** The folder for mails until a mail server is configured. */
  readonly outbox: string
  /**
   * The secret has at least 32 characters and is the same in every process. The service signs creators' links with this
   * secret.
   */
  readonly secret: string
}

export const openService = ({ database, outbox, secret, url }: OpenServiceOptions) =>
  partnerCommentary({ url, secret, database: sqlite(database), mail: { outbox }, development: true })
