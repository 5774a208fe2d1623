/** Reads the mails of the local outbox, which `OutboxMailer` writes. */
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import PostalMime, { type Address, type Email } from "postal-mime"

export interface OutboxMail {
  /** The name of the mail's file, which is the argument of `find`. */
  readonly file: string
  /** The time at which the mail was first sent, in ISO 8601 and UTC. */
  readonly date: string
  /** The sender in the form `Name <address>`. */
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly text: string
}

/**
 * The pattern of the file names. A name begins with the time, so that a sorted list is in the order of time. A name
 * contains no `:`, because some file systems refuse that character.
 */
const fileNamePattern = /^(\d{4}-\d{2}-\d{2}T\d{2})-(\d{2})-(\d{2}\.\d{3}Z)_([\w.-]+)\.eml$/

export const makeMailFileName = (instant: string, id: string) => `${instant.replaceAll(":", "-")}_${id}.eml`

export const parseMailIdFromFileName = (file: string): Option.Option<string> =>
  Option.fromNullishOr(fileNamePattern.exec(file)?.[4])

const formatAddress = (address: Address | undefined) =>
  address === undefined ? "" : address.name ? `${address.name} <${address.address}>` : (address.address ?? "")

const toOutboxMail = (file: string, email: Email): OutboxMail => ({
  file,
  date: file.replace(fileNamePattern, "$1:$2:$3"),
  from: formatAddress(email.from),
  to: (email.to ?? []).map(formatAddress).join(", "),
  subject: email.subject ?? "",
  text: email.text ?? ""
})

/** The maximum number of mails that `list` returns. */
const maxListedMails = 100

export class Outbox extends Context.Service<
  Outbox,
  {
    /** Lists the newest 100 mails, newest first. The list of mails omits files that are not readable mails. */
    readonly list: Effect.Effect<ReadonlyArray<OutboxMail>>
    /** Finds a mail by the `file` that `list` returned. The function reads only files whose names `list` can return. */
    readonly find: (file: string) => Effect.Effect<Option.Option<OutboxMail>>
  }
>()("@partner-commentary/smtp/Outbox") {}

export const layer = ({ folder }: { readonly folder: string }) =>
  Layer.sync(Outbox, () => {
    const read = Effect.fnUntraced(
      function* (file: string) {
        const email = yield* Effect.tryPromise(() => readFile(join(folder, file)).then((raw) => PostalMime.parse(raw)))
        return email.from === undefined ? Option.none() : Option.some(toOutboxMail(file, email))
      },
      Effect.orElseSucceed(Option.none<OutboxMail>)
    )
    const list = Effect.gen(function* () {
      const files = yield* Effect.orElseSucceed(
        Effect.tryPromise(() => readdir(folder)),
        () => []
      )
      const newest = files
        .filter((file) => fileNamePattern.test(file))
        .sort()
        .reverse()
        .slice(0, maxListedMails)
      const mails = yield* Effect.forEach(newest, read, { concurrency: 8 })
      return mails.flatMap(Option.toArray)
    })
    return {
      list: Effect.withSpan(list, "Outbox.list"),
      find: Effect.fn("Outbox.find")((file) => (fileNamePattern.test(file) ? read(file) : Effect.succeedNone))
    }
  })
