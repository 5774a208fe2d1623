/**
 * Makes the doctor's findings about the settings, the mail server and the identity provider. The doctor's checks change
 * no data.
 */

import * as Timeout from "@partner-commentary/server/workers/Timeout"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Shared from "partner-commentary/doctor/Finding"
import { findProcessesSettingError } from "../processes/ProcessCount.ts"

export type DoctorFinding = Shared.DoctorFinding<
  | Shared.DoctorCheckName
  | "configuration"
  | "database"
  | "database file"
  | "mail server"
  | "generator"
  | "speech"
  | "media storage"
  | "identity provider"
>

export const { makeMendFinding, makeNoticeFinding, makeOkFinding } = Shared

/** Reports misspelt, unsafe, incomplete and ignored settings, and settings that only `serve` refuses. */
export const checkConfiguration = (settings: Settings.Settings): ReadonlyArray<DoctorFinding> => {
  const links = ConfigSummary.findPublicUrlWarning(settings, settings.listen.port)
  const notices = [
    ...ConfigSummary.listMisspeltWarnings(settings).map((sentence) => makeNoticeFinding("configuration", sentence)),
    ...(Settings.hasWeakSigningSecret(settings)
      ? [
          makeNoticeFinding(
            "configuration",
            "SIGNING_SECRET has an entry of less than 32 characters: anyone who guesses it can forge creators' links."
          )
        ]
      : []),
    ...(Settings.allowsPrivateWebhookReceivers(settings)
      ? [
          makeNoticeFinding(
            "configuration",
            "WEBHOOK_ALLOW_PRIVATE is true: anyone with a partner's key can make the service send requests into this network."
          )
        ]
      : []),
    ...ConfigSummary.listIgnoredVariableWarnings(settings).map((sentence) =>
      makeNoticeFinding("configuration", `${sentence}.`)
    ),
    ...Option.match(ConfigSummary.findShortLeaseWarning(settings), {
      onNone: () => [],
      onSome: (sentence) => [makeNoticeFinding("configuration", `${sentence}.`)]
    }),
    ...Option.match(links, {
      onNone: () => [],
      onSome: ({ isLost, sentence }) => [
        (isLost ? makeMendFinding : makeNoticeFinding)("configuration", `${sentence}.`)
      ]
    }),
    ...Option.match(findProcessesSettingError(settings), {
      onNone: () => [],
      onSome: ({ name, reason }) => [makeMendFinding("configuration", `${name} ${reason}: serve does not start.`)]
    })
  ]
  return notices.length > 0
    ? notices
    : [makeOkFinding("configuration", settings.development ? "Good, for development." : "Good.")]
}

/** Runs a check with a time limit, and reports a problem if the check exceeds the limit. */
export const withCheckTimeout = <E, R>(check: DoctorFinding["check"], looked: Effect.Effect<DoctorFinding, E, R>) =>
  Effect.catchTag(Timeout.withTimeout(doctorCheckTimeout, looked), "TimeoutError", () =>
    Effect.succeed(
      makeMendFinding(check, `No answer within ${Duration.format(doctorCheckTimeout)}: the check did not finish.`)
    )
  )

/**
 * The time limit of each check. The checks run concurrently, so `doctor` ends within 5 seconds including its start-up.
 */
export const doctorCheckTimeout = Duration.seconds(3)

/** Checks that the identity provider publishes keys which can verify the dashboard's tokens. */
export const checkIdentityProvider = Effect.fnUntraced(function* (settings: Settings.Settings) {
  const check = "identity provider"
  if (Option.isNone(settings.identity)) {
    return Option.match(ConfigSummary.findMissingIdentityProviderWarning(settings), {
      onNone: () => makeOkFinding(check, "The local identity provider: partner-commentary token create."),
      onSome: (sentence) => makeNoticeFinding(check, `${sentence}.`)
    })
  }
  const { jwksUrl } = settings.identity.value
  const { countSigningKeys: countKeys } = yield* Effect.promise(
    () => import("@partner-commentary/identity/JwksIdentity")
  )
  return yield* Effect.match(countKeys(jwksUrl), {
    onFailure: ({ reason }) => makeMendFinding(check, `No keys at JWKS_URL: ${reason}.`),
    onSuccess: (count) =>
      count === 0
        ? makeMendFinding(check, "JWKS_URL returns no RSA, P-256 or Ed25519 key for RS256, ES256 or EdDSA.")
        : makeOkFinding(check, `JWKS_URL returns ${count === 1 ? "one usable key" : `${count} usable keys`}.`)
  })
})

/** Connects to the mail server and authenticates, without sending a mail. */
export const checkMailServer = (settings: Settings.Settings): Effect.Effect<DoctorFinding> =>
  Option.match(settings.mail.server, {
    onNone: () =>
      Effect.succeed(makeOkFinding("mail server", `None: mails ${ConfigSummary.describeMailDestination(settings)}.`)),
    onSome: (server) => {
      const { host, port } = ConfigSummary.parseMailServerAddress(server)
      return Effect.promise(() => import("@partner-commentary/smtp/Verify")).pipe(
        Effect.flatMap(({ verifyMailServer: verify }) => verify(server, doctorCheckTimeout)),
        Effect.match({
          onFailure: ({ reason }) =>
            makeMendFinding(
              "mail server",
              `No mail can be sent through ${host} port ${port}: ${reason}. Check SMTP_URL and the network.`
            ),
          onSuccess: ({ isAuthenticated }) =>
            makeOkFinding(
              "mail server",
              `Mails ${ConfigSummary.describeMailDestination(settings)}, which ${isAuthenticated ? "accepts the password" : "requires no password"}. No mail was sent.`
            )
        })
      )
    }
  })
