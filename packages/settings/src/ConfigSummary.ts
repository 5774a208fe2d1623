/**
 * Describes the current configuration for logs and for the `doctor` command. The descriptions of the configuration
 * contain no secrets.
 */

import { maxGenerationTime } from "@partner-commentary/core/commentary/CommentaryGenerator"
import { maxStorageTime } from "@partner-commentary/core/commentary/MediaStorage"
import { maxSynthesisTime } from "@partner-commentary/core/commentary/MediaSynthesizer"
import { isLoopbackHost, isWildcardHost } from "@partner-commentary/core/shared/Loopback"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { GeneratorSettings, Settings } from "./Settings.ts"
import { allowsPrivateWebhookReceivers, defaultDataFolder, findApiRoot, hasWeakSigningSecret } from "./Settings.ts"

/** Returns the host and the port of the mail server, without its credentials. */
export const parseMailServerAddress = (
  server: Redacted.Redacted<string>
): { readonly host: string; readonly port: number } => {
  const url = new URL(Redacted.value(server))
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || (url.protocol === "smtps:" ? 465 : 587))
  }
}

export const usesMailOutbox = ({ mail }: Settings): boolean => Option.isNone(mail.server)

/** Describes the destination of mails. The returned text is the rest of a sentence that starts with `mails`. */
export const describeMailDestination = ({ mail }: Settings): string =>
  Option.match(mail.server, {
    onNone: () => `become files in ${defaultDataFolder}/outbox`,
    onSome: (server) => {
      const { host, port } = parseMailServerAddress(server)
      return `go through ${host} port ${port}`
    }
  })

export const describeGenerator = ({ generator }: Settings): string =>
  Option.match(generator, {
    onNone: () => "the local one",
    onSome: ({ model, url }: GeneratorSettings) => `${model} at ${url}`
  })

/**
 * Describes the server and the storage of audio. The returned text is the rest of a sentence that starts with `audio`.
 */
export const describeAudioSettings = ({ media }: Settings): string =>
  Option.match(Option.all([media.speech, media.storage]), {
    onNone: () => "none",
    onSome: ([{ model, url }, storage]) =>
      `${model} at ${url}, kept ${storage.kind === "folder" ? `in ${storage.folder}` : `at ${storage.url}`}`
  })

/**
 * Returns whether the service itself issues and verifies dashboard tokens. The service issues dashboard tokens only in
 * development without an identity provider.
 */
export const issuesDashboardTokens = ({ development, identity }: Settings): boolean =>
  development && Option.isNone(identity)

/** Returns a warning when the service rejects every dashboard token. */
export const findMissingIdentityProviderWarning = (settings: Settings): Option.Option<string> =>
  Option.isSome(settings.identity) || settings.development
    ? Option.none()
    : Option.some("JWKS_URL is unset: the API-key operations reject every token")

export const listMisspeltWarnings = ({ misspelt }: Settings): ReadonlyArray<string> =>
  misspelt.map(({ meant, name }) => `${name} is ignored: did you mean ${meant}?`)

/** Returns a warning for each group of variables that have no effect because another variable is unset. */
export const listIgnoredVariableWarnings = ({ ignored }: Settings): ReadonlyArray<string> =>
  ignored.map(
    ({ consequence, main, names }) =>
      `${names.join(", ")} ${names.length === 1 ? "has" : "have"} no effect because ${main} is unset: ${consequence}`
  )

/** Returns warnings about misspelt variables, and about settings that are valid but risky or without effect. */
export const listSettingWarnings = (settings: Settings): ReadonlyArray<string> => [
  ...listMisspeltWarnings(settings),
  ...(hasWeakSigningSecret(settings)
    ? [
        "SIGNING_SECRET is shorter than 32 characters and can be guessed, which allows forged creator links; put a long random text first"
      ]
    : []),
  ...(allowsPrivateWebhookReceivers(settings)
    ? [
        "WEBHOOK_ALLOW_PRIVATE is true outside development: partners can make the service send requests into this network"
      ]
    : []),
  ...listIgnoredVariableWarnings(settings)
]

/**
 * Returns a warning when a worker's lease can end during an attempt at a draft or at audio. A short lease is valid,
 * because tests of crashes need short leases.
 */
export const findShortLeaseWarning = ({ generator, media, policy: { lease } }: Settings): Option.Option<string> => {
  const { format, isLessThanOrEqualTo, sum } = Duration
  const warn = (work: string, longest: Duration.Duration) =>
    isLessThanOrEqualTo(lease, longest)
      ? Option.some(
          `WORKER_LEASE is ${format(lease)}, and an attempt at ${work} can take ${format(longest)}: ` +
            "set a longer WORKER_LEASE, or slow attempts are repeated or lost"
        )
      : Option.none()
  if (Option.isSome(media.speech)) return warn("audio", sum(maxSynthesisTime, maxStorageTime))
  return Option.isSome(generator) ? warn("a draft", maxGenerationTime) : Option.none()
}

/**
 * Returns a warning when PUBLIC_URL is unset. The warning shows the address with which links in mails start, and
 * whether other machines can reach this address.
 */
export const findPublicUrlWarning = (
  settings: Settings,
  port: number
): Option.Option<{ readonly sentence: string; readonly isLost: boolean }> => {
  const { host } = settings.listen
  const isLocal = isLoopbackHost(host) || isWildcardHost(host)
  if (Option.isSome(settings.publicUrl) || (settings.development && !isWildcardHost(host))) return Option.none()
  const reach = isLocal ? ", which only this machine reaches" : ""
  return Option.some({
    isLost: isLocal && !settings.development,
    sentence: `PUBLIC_URL is unset: links in mails start with ${findApiRoot(settings, port)}${reach}`
  })
}
