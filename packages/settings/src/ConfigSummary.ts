/** What the settings chose, in words for logs and for the doctor: never with a secret. */

import { isLoopback, isWildcard } from "@partner-commentary/core/shared/Loopback"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { GeneratorSettings, Settings } from "./Settings.ts"
import { apiRoot, dataFolder, isOpenToPrivate, isWeaklySigned } from "./Settings.ts"

/** The mail server without its credentials. */
export const mailServer = (server: Redacted.Redacted<string>): { readonly host: string; readonly port: number } => {
  const url = new URL(Redacted.value(server))
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (url.protocol === "smtps:" ? 465 : 587))
  }
}

export const isOutbox = ({ mail }: Settings): boolean => Option.isNone(mail.server)

/** Reads on after `mails`. */
export const mailWay = ({ mail }: Settings): string =>
  Option.match(mail.server, {
    onNone: () => `become files in ${dataFolder}/outbox`,
    onSome: (server) => {
      const { host, port } = mailServer(server)
      return `go through ${host} port ${port}`
    }
  })

export const generator = ({ generator }: Settings): string =>
  Option.match(generator, {
    onNone: () => "the local one",
    onSome: ({ model, url }: GeneratorSettings) => `${model} at ${url}`
  })

/** Reads on after `audio`. */
export const speech = ({ media }: Settings): string =>
  Option.match(Option.all([media.speech, media.storage]), {
    onNone: () => "none",
    onSome: ([{ model, url }, storage]) =>
      `${model} at ${url}, kept ${storage.kind === "folder" ? `in ${storage.folder}` : `at ${storage.url}`}`
  })

/** Whether the dashboard's tokens are made here. */
export const isIdentityLocal = ({ development, identity }: Settings): boolean => development && Option.isNone(identity)

/** Where no token is any good: what somebody should know. */
export const noIdentity = (settings: Settings): Option.Option<string> =>
  Option.isSome(settings.identity) || settings.development
    ? Option.none()
    : Option.some("JWKS_URL is unset: the API-key operations refuse every token")

/** What works, and somebody should know all the same. */
export const cautions = (settings: Settings): ReadonlyArray<string> => [
  ...(isWeaklySigned(settings)
    ? [
        "SIGNING_SECRET is shorter than 32 characters and can be guessed, which allows forged creator links; put a long random text first"
      ]
    : []),
  ...(isOpenToPrivate(settings)
    ? [
        "WEBHOOK_ALLOW_PRIVATE is true outside development: who has a partner's key can have requests sent into this network"
      ]
    : [])
]

/** Where nobody said what mails should link to, but somebody should: what they link to now, and whether it leads nowhere. */
export const unfoundLinks = (
  settings: Settings,
  port: number
): Option.Option<{ readonly sentence: string; readonly isLost: boolean }> => {
  const { host } = settings.listen
  const isLocal = isLoopback(host) || isWildcard(host)
  if (Option.isSome(settings.publicUrl) || (settings.development && !isWildcard(host))) return Option.none()
  const reach = isLocal ? ", which only this machine reaches" : ""
  return Option.some({
    isLost: isLocal && !settings.development,
    sentence: `PUBLIC_URL is unset: links in mails start with ${apiRoot(settings, port)}${reach}`
  })
}
