/** What an operator should know, and what there is to mend. It looks only, and reaches the database, the mail server and the clock. */
import { existsSync } from "node:fs"
import { connect } from "node:net"
import { MailStore } from "@partner-commentary/core/mail/MailStore"
import { OrganizationRegistry } from "@partner-commentary/core/partner/OrganizationRegistry"
import { isActive } from "@partner-commentary/core/persona/License"
import { PersonaRegistry } from "@partner-commentary/core/persona/PersonaRegistry"
import * as Instant from "@partner-commentary/core/shared/Instant"
import { isSettled } from "@partner-commentary/core/topic/Assignment"
import { AssignmentStore } from "@partner-commentary/core/topic/AssignmentStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { isWildcard } from "./settings/Loopback.ts"
import type { Settings } from "./settings/Settings.ts"

export interface Finding {
  readonly check:
    | "configuration"
    | "database"
    | "mail server"
    | "mails"
    | "generations"
    | "work"
    | "personas"
    | "licences"
  /** `mend`: something does not work until somebody acts. `notice`: somebody should look. */
  readonly state: "ok" | "notice" | "mend"
  readonly message: string
}

const ok = (check: Finding["check"], message: string): Finding => ({ check, state: "ok", message })
const notice = (check: Finding["check"], message: string): Finding => ({ check, state: "notice", message })
export const mend = (check: Finding["check"], message: string): Finding => ({ check, state: "mend", message })

/** What the settings themselves allow, but nobody should want. */
export const configuration = (settings: Settings): ReadonlyArray<Finding> => {
  const weak = Option.exists(settings.signingSecrets, ([first]) => Redacted.value(first).length < 32)
  const unreachable = !settings.development && Option.isNone(settings.publicUrl) && isWildcard(settings.listen.host)
  const notices = [
    ...(weak
      ? [
          notice(
            "configuration",
            "SIGNING_SECRET signs creators' links, and its first entry has less than 32 characters."
          )
        ]
      : []),
    ...(unreachable ? [mend("configuration", "PUBLIC_URL must be set: links in mails lead nowhere without it.")] : [])
  ]
  return notices.length > 0 ? notices : [ok("configuration", settings.development ? "Good, for development." : "Good.")]
}

/** None: the database can be looked into. `pending` tells which migrations are left to do. */
export const database = <E, R>(settings: Settings, pending: Effect.Effect<ReadonlyArray<unknown>, E, R>) => {
  const { filename } = settings.database
  if (filename === ":memory:") return Effect.succeed(ok("database", "In memory: nothing outlives its process."))
  if (!existsSync(filename)) {
    return Effect.succeed(mend("database", `There is no ${filename} yet: run partner-commentary migrate, or serve.`))
  }
  return Effect.match(pending, {
    onFailure: (error) => mend("database", `${filename} cannot be used: ${String(error)}`),
    onSuccess: ({ length }) =>
      length === 0
        ? ok("database", `${filename} answers and is up to date.`)
        : mend("database", `${length} migrations are left to do: run partner-commentary migrate.`)
  })
}

/** Whether the mail server takes connections; credentials are not tried. */
export const mailServer = ({ mail }: Settings): Effect.Effect<Finding> =>
  Option.match(mail.server, {
    onNone: () => Effect.succeed(ok("mail server", "None: mails become files in the local outbox.")),
    onSome: (server) => {
      const url = new URL(Redacted.value(server))
      const port = Number(url.port || (url.protocol === "smtps:" ? 465 : 587))
      const host = url.hostname.replace(/^\[|\]$/g, "")
      return reach(host, port).pipe(
        Effect.timeout("5 seconds"),
        Effect.match({
          onFailure: () =>
            mend("mail server", `Nothing answers at ${host} port ${port}: check SMTP_URL and the network.`),
          onSuccess: () => ok("mail server", `${host} port ${port} takes connections.`)
        })
      )
    }
  })

const reach = (host: string, port: number) =>
  Effect.callback<void, Error>((resume) => {
    const socket = connect({ host, port })
    socket.once("connect", () => resume(Effect.void))
    socket.once("error", (error) => resume(Effect.fail(error)))
    return Effect.sync(() => socket.destroy())
  })

const shown = 10

export const mails = Effect.gen(function* () {
  const assignments = yield* AssignmentStore
  const failed = yield* (yield* MailStore).failed(1000)
  const open = yield* Effect.filter(
    failed,
    Effect.fnUntraced(function* ({ mail }) {
      if (mail.shareId === null || mail.kind === "undeliverable") return false
      const found = yield* assignments.find(mail.shareId)
      if (Option.isNone(found) || isSettled(found.value.assignment)) return false
      return mail.kind !== "request" || found.value.assignment.notifiedAt === null
    })
  )
  const messages = open
    .slice(0, shown)
    .map(({ mail, reason }) =>
      mend(
        "mails",
        `A ${mail.kind} mail was given up (${reason}): mend the cause, then run partner-commentary mail resend ${mail.shareId}.`
      )
    )
  return messages.length > 0 ? messages : [ok("mails", "None that matters was given up.")]
})

export const generations = Effect.gen(function* () {
  const stalled = yield* (yield* AssignmentStore).stalled
  const messages = stalled
    .slice(0, shown)
    .map((id) => mend("generations", `One gave up: mend the generator, then run partner-commentary retry ${id}.`))
  return messages.length > 0 ? messages : [ok("generations", "None gave up.")]
})

/** So long may due work wait before something must be wrong. */
const patience = { duration: Duration.minutes(5), text: "5 minutes" }

export const work = Effect.gen(function* () {
  const now = yield* Instant.now
  const waiting = [yield* (yield* AssignmentStore).nextDue, yield* (yield* MailStore).nextDue]
  const overdue = waiting.some(Option.exists((due) => Instant.plus(due, patience.duration) < now))
  return overdue
    ? mend("work", `Work has been due for more than ${patience.text}: run partner-commentary serve, or worker.`)
    : ok("work", "Nothing is overdue.")
})

const soon = { duration: Duration.days(7), text: "7 days" }

/** Licences of all organizations, and personas that nobody speaks for although somebody may ask them. */
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
