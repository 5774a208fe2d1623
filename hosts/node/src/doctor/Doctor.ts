/** The doctor's findings about settings, stores, the mail server and the identity provider. They change nothing. */

import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { isActive } from "@partner-commentary/core/persona/License"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { Environment } from "@partner-commentary/core/shared/Owner"
import { isSettled } from "@partner-commentary/core/topic/Assignment"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import { DeliveryStore } from "@partner-commentary/core/webhook/DeliveryStore"
import * as Timeout from "@partner-commentary/server/workers/Timeout"
import * as ConfigSummary from "@partner-commentary/settings/ConfigSummary"
import * as Settings from "@partner-commentary/settings/Settings"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

export interface Finding {
  readonly check:
    | "configuration"
    | "database"
    | "database file"
    | "mail server"
    | "generator"
    | "speech"
    | "media storage"
    | "identity provider"
    | "mails"
    | "generations"
    | "waiting mails"
    | "waiting drafts"
    | "work"
    | "deliveries"
    | "webhooks"
    | "disabled webhooks"
    | "media"
    | "personas"
    | "licences"
  /** `mend`: something does not work until the operator acts. `notice`: the operator should look at it. */
  readonly state: "ok" | "notice" | "mend"
  readonly message: string
  /** The number of problems that the finding stands for, 1 by default. */
  readonly count?: number
}

export const ok = (check: Finding["check"], message: string): Finding => ({ check, state: "ok", message })
export const notice = (check: Finding["check"], message: string): Finding => ({ check, state: "notice", message })
export const mend = (check: Finding["check"], message: string): Finding => ({ check, state: "mend", message })

/** Settings that are valid but unsafe or incomplete. */
export const configuration = (settings: Settings.Settings): ReadonlyArray<Finding> => {
  const links = ConfigSummary.publicUrlWarning(settings, settings.listen.port)
  const notices = [
    ...(Settings.isWeaklySigned(settings)
      ? [
          notice(
            "configuration",
            "SIGNING_SECRET holds an entry of less than 32 characters: who guesses it forges every creator's link."
          )
        ]
      : []),
    ...(Settings.allowsPrivateReceivers(settings)
      ? [
          notice(
            "configuration",
            "WEBHOOK_ALLOW_PRIVATE is true: who has a partner's key can have requests sent into this network."
          )
        ]
      : []),
    ...Option.match(links, {
      onNone: () => [],
      onSome: ({ isLost, sentence }) => [(isLost ? mend : notice)("configuration", `${sentence}.`)]
    })
  ]
  return notices.length > 0 ? notices : [ok("configuration", settings.development ? "Good, for development." : "Good.")]
}

/** A check that times out is a problem. */
export const bounded = <E, R>(check: Finding["check"], looked: Effect.Effect<Finding, E, R>) =>
  Effect.catchTag(Timeout.within(checkTimeout, looked), "TimeoutError", () =>
    Effect.succeed(mend(check, `No answer within ${Duration.format(checkTimeout)}: not tried to the end.`))
  )

/** The time of each check. They run concurrently, so that doctor takes less than 5 seconds. */
export const checkTimeout = Duration.seconds(4)

/** Checks that the provider publishes keys which can verify the dashboard's tokens. */
export const identityProvider = Effect.fnUntraced(function* (settings: Settings.Settings) {
  const check = "identity provider"
  if (Option.isNone(settings.identity)) {
    return Option.match(ConfigSummary.identityWarning(settings), {
      onNone: () => ok(check, "The local one: partner-commentary token create."),
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
        ? mend(check, "JWKS_URL answers without an RSA, P-256 or Ed25519 key for RS256, ES256 or EdDSA.")
        : ok(check, `JWKS_URL answers with ${count === 1 ? "one key" : `${count} keys`} of use.`)
  })
})

/** Connects and authenticates, without sending a mail. */
export const mailServer = (settings: Settings.Settings): Effect.Effect<Finding> =>
  Option.match(settings.mail.server, {
    onNone: () => Effect.succeed(ok("mail server", `None: mails ${ConfigSummary.describeMail(settings)}.`)),
    onSome: (server) => {
      const { host, port } = ConfigSummary.mailServer(server)
      return Effect.promise(() => import("@partner-commentary/smtp/Verify")).pipe(
        Effect.flatMap(({ verifyMailServer: verify }) => verify(server, checkTimeout)),
        Effect.match({
          onFailure: ({ reason }) =>
            mend("mail server", `No mail goes out by ${host} port ${port}: ${reason}. Check SMTP_URL and the network.`),
          onSuccess: ({ isAuthenticated }) =>
            ok(
              "mail server",
              `Mails ${ConfigSummary.describeMail(settings)}, which ${isAuthenticated ? "takes the password" : "asks for no password"}. Not tried: a mail.`
            )
        })
      )
    }
  })

const listed = 10
const limit = 1000

export const mails = Effect.gen(function* () {
  const assignments = yield* AssignmentStore
  const failed = yield* (yield* MailStore).failed(limit)
  const open = yield* Effect.filter(
    failed,
    Effect.fnUntraced(function* ({ mail }) {
      if (mail.shareId === null || mail.kind === "undeliverable") return false
      const found = yield* assignments.find(mail.shareId)
      if (Option.isNone(found) || isSettled(found.value.assignment)) return false
      return mail.kind !== "request" || found.value.assignment.notifiedAt === null
    })
  )
  const [first] = open
  if (first === undefined) return ok("mails", "None that matters was given up.")
  const resend = "mend the cause, then run partner-commentary mail resend"
  const least = failed.length === limit ? "at least " : ""
  const earliest = Math.min(...open.map(({ at }) => at))
  const message =
    open.length === 1
      ? `A ${first.mail.kind} mail was given up (${first.reason}): ${resend} ${first.mail.shareId}.`
      : `${least}${open.length} mails were given up, the last one because of: ${first.reason}; ` +
        `${resend} --all --since ${Instant.toIso(earliest)}.`
  return { ...mend("mails", message), count: open.length }
})

/** The end of a sentence with the first few ids. */
const list = (ids: ReadonlyArray<string>) =>
  `${ids.length > listed ? `the first ${listed}: ` : "they are: "}${ids.slice(0, listed).join(" ")}`

export const generations = Effect.gen(function* () {
  const stalled = yield* (yield* AssignmentStore).stalled
  if (stalled.length === 0) return ok("generations", "None gave up.")
  const message =
    stalled.length === 1
      ? `One gave up: mend the generator, then run partner-commentary retry ${stalled[0]}.`
      : `${stalled.length} generations gave up: mend the generator, then run partner-commentary retry --all; ${list(stalled)}`
  return { ...mend("generations", message), count: stalled.length }
})

/** How long work may be due before that is a problem. */
const overdueAfter = { duration: Duration.minutes(5), text: "5 minutes" }

export const work = Effect.gen(function* () {
  const now = yield* Instant.now
  const waiting = [yield* (yield* AssignmentStore).nextDue(Environment.literals), yield* (yield* MailStore).nextDue]
  const overdue = waiting.some(Option.exists((due) => Instant.plus(due, overdueAfter.duration) < now))
  return overdue
    ? mend("work", `Work has been due for more than ${overdueAfter.text}: run partner-commentary serve, or worker.`)
    : ok("work", "Nothing is overdue.")
})

/** A notice, because the cause may be the partner's slow receiver. */
export const deliveries = Effect.gen(function* () {
  const due = yield* (yield* DeliveryStore).nextDue
  const now = yield* Instant.now
  return Option.exists(due, (at) => Instant.plus(at, overdueAfter.duration) < now)
    ? notice(
        "deliveries",
        `An event has been due to an active webhook for more than ${overdueAfter.text}: no worker runs, or its receiver is slower than its events; partner-commentary webhook list says whose.`
      )
    : ok("deliveries", "None is overdue.")
})

const soon = { duration: Duration.days(7), text: "7 days" }

/** Licences that end soon, and licensed personas without a creator's address. */
export const licences = Effect.gen(function* () {
  const now = yield* Instant.now
  const registry = yield* PersonaRegistry
  const organizations = yield* (yield* OrganizationRegistry).list
  const active = yield* Effect.forEach(organizations, (organization) =>
    Effect.map(registry.licenses(organization.id), (licenses) =>
      licenses.filter((license) => isActive(license, now)).map((license) => ({ ...license, organization }))
    )
  ).pipe(Effect.map((lists) => lists.flat()))
  const licensed = new Set(active.map(({ personaId }) => personaId))
  const silent = (yield* registry.list).filter(({ creator, id }) => creator.email === "" && licensed.has(id))
  const ending = active.filter(({ until }) => until !== null && until < Instant.plus(now, soon.duration))
  const about = (check: Finding["check"], found: ReadonlyArray<Finding>, good: string) =>
    found.length > 0 ? found : [ok(check, good)]
  return [
    ...about(
      "personas",
      silent.map(({ id, name }) =>
        mend(
          "personas",
          `${name} has no creator address: run partner-commentary persona update ${id} --creator-email EMAIL.`
        )
      ),
      "Each licensed one has a creator address."
    ),
    ...about(
      "licences",
      ending.map(({ organization, personaName, until }) =>
        notice("licences", `${organization.name}'s licence for ${personaName} ends at ${Instant.toIso(until ?? now)}.`)
      ),
      `None ends within ${soon.text}.`
    )
  ]
})
