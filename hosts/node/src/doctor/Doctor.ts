/**
 * The doctor's checks of the settings, the mail server and the identity provider. The checks of the doctor change
 * nothing.
 */

import * as Timeout from "@partner-commentary/server/workers/Timeout"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Shared from "partner-commentary/doctor/Finding"
import { refusalOf } from "../processes/ProcessCount.ts"

export type Finding = Shared.Finding<
  | Shared.StoredCheck
  | "configuration"
  | "database"
  | "database file"
  | "mail server"
  | "generator"
  | "speech"
  | "media storage"
  | "identity provider"
>

export const { mend, notice, ok } = Shared

/** Reports settings that are unsafe, incomplete, or refused only by `serve`. */
export const checkConfiguration = (settings: Settings.Settings): ReadonlyArray<Finding> => {
  const links = ConfigSummary.publicUrlWarning(settings, settings.listen.port)
  const notices = [
    ...(Settings.isWeaklySigned(settings)
      ? [
          notice(
            "configuration",
            "SIGNING_SECRET has an entry of less than 32 characters: anyone who guesses it can forge creators' links."
          )
        ]
      : []),
    ...(Settings.allowsPrivateReceivers(settings)
      ? [
          notice(
            "configuration",
            "WEBHOOK_ALLOW_PRIVATE is true: anyone with a partner's key can make the service send requests into this network."
          )
        ]
      : []),
    ...Option.match(links, {
      onNone: () => [],
      onSome: ({ isLost, sentence }) => [(isLost ? mend : notice)("configuration", `${sentence}.`)]
    }),
    ...Option.match(refusalOf(settings), {
      onNone: () => [],
      onSome: ({ name, reason }) => [mend("configuration", `${name} ${reason}: serve does not start.`)]
    })
  ]
  return notices.length > 0 ? notices : [ok("configuration", settings.development ? "Good, for development." : "Good.")]
}

/** Runs a check with a time limit. A check that times out counts as a problem. */
export const withCheckTimeout = <E, R>(check: Finding["check"], looked: Effect.Effect<Finding, E, R>) =>
  Effect.catchTag(Timeout.within(checkTimeout, looked), "TimeoutError", () =>
    Effect.succeed(mend(check, `No answer within ${Duration.format(checkTimeout)}: the check did not finish.`))
  )

/**
 * The time limit of a single check of the doctor. The checks run concurrently, so that `doctor` ends within 5 seconds,
 * including its start.
 */
export const checkTimeout = Duration.seconds(3)

/** Checks that the identity provider publishes keys which can verify the dashboard's tokens. */
export const checkIdentityProvider = Effect.fnUntraced(function* (settings: Settings.Settings) {
  const check = "identity provider"
  if (Option.isNone(settings.identity)) {
    return Option.match(ConfigSummary.identityWarning(settings), {
      onNone: () => ok(check, "The local identity provider: partner-commentary token create."),
      onSome: (sentence) => notice(check, `${sentence}.`)
    })
  }
  const { jwksUrl } = settings.identity.value
  const { countSigningKeys: countKeys } = yield* Effect.promise(
    () => import("@partner-commentary/identity/JwksIdentity")
  )
  return yield* Effect.match(countKeys(jwksUrl), {
    onFailure: ({ reason }) => mend(check, `No keys at JWKS_URL: ${reason}.`),
    onSuccess: (count) =>
      count === 0
        ? mend(check, "JWKS_URL returns no RSA, P-256 or Ed25519 key for RS256, ES256 or EdDSA.")
        : ok(check, `JWKS_URL returns ${count === 1 ? "one usable key" : `${count} usable keys`}.`)
  })
})

/** Connects to the mail server and authenticates, without sending a mail. */
export const checkMailServer = (settings: Settings.Settings): Effect.Effect<Finding> =>
  Option.match(settings.mail.server, {
    onNone: () => Effect.succeed(ok("mail server", `None: mails ${ConfigSummary.describeMail(settings)}.`)),
    onSome: (server) => {
      const { host, port } = ConfigSummary.describeMailServer(server)
      return Effect.promise(() => import("@partner-commentary/smtp/Verify")).pipe(
        Effect.flatMap(({ verifyMailServer: verify }) => verify(server, checkTimeout)),
        Effect.match({
          onFailure: ({ reason }) =>
            mend(
              "mail server",
              `No mail can be sent through ${host} port ${port}: ${reason}. Check SMTP_URL and the network.`
            ),
          onSuccess: ({ isAuthenticated }) =>
            ok(
              "mail server",
              `Mails ${ConfigSummary.describeMail(settings)}, which ${isAuthenticated ? "accepts the password" : "requires no password"}. No mail was sent.`
            )
        })
      )
    }
  })
