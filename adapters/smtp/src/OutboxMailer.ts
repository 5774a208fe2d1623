/**
 * Writes every mail as an `.eml` file into a folder for development, and sends nothing. `Outbox` defines the file names
 * and reads the folder.
 */
import { randomUUID } from "node:crypto"
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Mailer, MailRefused } from "@partner-commentary/core/mail/Mailer"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Semaphore from "effect/Semaphore"
import { createTransport } from "nodemailer"
import { MailSettingRefused, parseMailSender } from "./MailSetting.ts"
import { composeMimeMessage } from "./MimeMessage.ts"
import { makeMailFileName, parseMailIdFromFileName } from "./Outbox.ts"

const refusal = (cause: unknown) => new MailRefused({ permanent: false, reason: (cause as Error).message })

const attempt = <A>(step: () => Promise<A>) => Effect.tryPromise({ try: step, catch: refusal })

/**
 * Creates a folder that only its owner may read, because everyone who has a link from a mail can act as the creator.
 */
const make = (folder: string) => mkdir(folder, { recursive: true, mode: 0o700 })

export interface OutboxMailerOptions {
  readonly folder: string
  /** The sender in the form `Name <address>`. Every Message-ID ends with the domain of the sender's address. */
  readonly from: string
}

/** Provides the mailer and creates the folder. A mail replaces the file of an earlier mail with the same id. */
export const layer = ({ folder, from }: OutboxMailerOptions) =>
  Layer.effect(
    Mailer,
    Effect.gen(function* () {
      const origin = yield* Effect.fromResult(parseMailSender(from))
      yield* Effect.tryPromise({
        try: () => make(folder),
        catch: (cause) =>
          new MailSettingRefused({ setting: "folder", reason: `cannot be created: ${(cause as Error).message}.` })
      })
      const composer = createTransport({ streamTransport: true, buffer: true, newline: "windows" })
      // Only one write runs at a time, because two concurrent writes of the same mail id would both find no earlier
      // file.
      const turn = yield* Semaphore.make(1)
      const write = Effect.fnUntraced(function* (id: string, instant: string, raw: string | Uint8Array) {
        yield* attempt(() => make(folder))
        const files = yield* attempt(() => readdir(folder))
        const file =
          files.find((file) => file.includes(id) && Option.contains(parseMailIdFromFileName(file), id)) ??
          makeMailFileName(instant, id)
        const unfinished = join(folder, `${randomUUID()}.part`)
        yield* attempt(() => writeFile(unfinished, raw, { mode: 0o600 })).pipe(
          // The mailer renames the file when it is complete, so that incomplete files are never visible.
          Effect.andThen(attempt(() => rename(unfinished, join(folder, file)))),
          Effect.onError(() => Effect.promise(() => rm(unfinished, { force: true })))
        )
      })
      return {
        send: Effect.fn("OutboxMailer.send")(function* (message) {
          const now = yield* DateTime.now
          const letter = yield* Effect.fromResult(composeMimeMessage(origin, message, now))
          const { message: raw } = yield* attempt(() => composer.sendMail(letter))
          yield* turn.withPermit(write(message.id, DateTime.formatIso(now), raw as Buffer))
        })
      }
    })
  )
