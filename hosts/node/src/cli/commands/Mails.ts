/** Defines the commands `mail …`, which list waiting and failed mails and send mails again. */
import { CreatorAdministration } from "@partner-commentary/core/creator/CreatorAdministration"
import { OrganizationStore } from "@partner-commentary/core/partner/OrganizationStore"
import { OrganizationId, ShareId } from "@partner-commentary/core/shared/Ids"
import * as Instant from "@partner-commentary/core/shared/Instant"
import * as Parser from "@partner-commentary/settings/Parser"
import type { ListedMail, MailListPosition } from "@partner-commentary/sql/mail/MailInspection"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Administration from "../Administration.ts"
import { failWithUsageErrorIf } from "../CommandFailed.ts"
import { formatTable, printResult } from "../Output.ts"
import * as Parameter from "../Parameter.ts"
import { explainActionRefusal } from "./Creators.ts"

const position: Parser.Parser<MailListPosition> = {
  rule: "the value of `next` in the page before",
  parse: (text) => {
    const [moment = "", ...rest] = text.split("_")
    const id = rest.join("_")
    return Option.filter(
      Option.map(Instant.parse(moment), (at) => ({ at, id })),
      () => id !== ""
    )
  }
}

const list = Command.make(
  "list",
  {
    failed: Flag.Boolean("failed").pipe(
      Flag.withDescription("List failed mails, newest first, instead of waiting ones"),
      Flag.withDefault(false)
    ),
    org: Parameter.declareOptionalFlag(
      "org",
      Parser.makeIdParser(OrganizationId),
      "ID",
      "Only mails of this organization"
    ),
    limit: Parameter.declareOptionalFlag(
      "limit",
      Parser.makeIntegerParser(1, 1000),
      "N",
      "The maximum number of mails, by default 100"
    ),
    after: Parameter.declareOptionalFlag("after", position, "NEXT", "The page after the page with this `next`")
  },
  Effect.fn(function* ({ after, failed, limit, org }) {
    const { listMails } = yield* Effect.promise(() => import("@partner-commentary/sql/mail/MailInspection"))
    const state = failed ? "failed" : "waiting"
    const query = { state, organizationId: org, after, limit: Option.getOrElse(limit, () => 100) } as const
    const { mails, next } = yield* listMails(query)
    const contacts = yield* contactsOf(mails)
    const rows = mails.map((mail) => ({ ...mail, to: mail.to ?? contacts.get(mail.organizationId) ?? null }))
    const following = next === null ? null : `${Instant.toIso(next.at)}_${next.id}`
    yield* printResult({
      json: () => ({ mails: rows.map(view), next: following }),
      text: () => [
        ...formatTable(
          ["mail", "to", failed ? "failed" : "due", "attempts", "last reason"],
          rows.map(({ attempts, dueAt, id, reason, settledAt, to }) => [
            id,
            to ?? "",
            Instant.toIsoOrNull(dueAt ?? settledAt) ?? "",
            String(attempts),
            reason ?? ""
          ]),
          failed ? "There are no failed mails." : "There are no waiting mails."
        ),
        ...(following === null ? [] : [`There are more: --after ${following}`])
      ]
    })
  }, Effect.provide(Administration.layer))
).pipe(Command.withDescription("List waiting or failed mails"))

/** Finds the contact addresses of organizations for mails that store no address. */
const contactsOf = Effect.fnUntraced(function* (mails: ReadonlyArray<ListedMail>) {
  const organizations = yield* OrganizationStore
  const ids = new Set(
    mails.flatMap(({ organizationId, to }) => (to === null && organizationId !== null ? [organizationId] : []))
  )
  const found = yield* Effect.forEach(ids, (id) =>
    Effect.map(
      organizations.find(id),
      (organization) => [id, Option.getOrNull(organization)?.contactEmail ?? null] as const
    )
  )
  return new Map<OrganizationId | null, string | null>(found)
})

const view = ({
  attempts,
  createdAt,
  dueAt,
  id,
  kind,
  organizationId,
  reason,
  settledAt,
  shareId,
  state,
  to
}: ListedMail) => ({
  ...{ id, kind, organization_id: organizationId, share_id: shareId, to, state, attempts, last_reason: reason },
  created_at: Instant.toIso(createdAt),
  due_at: Instant.toIsoOrNull(dueAt),
  settled_at: Instant.toIsoOrNull(settledAt)
})

const resend = Command.make(
  "resend",
  {
    shareId: Argument.optional(
      Parameter.declarePositionalArgument("share_id", Parser.makeIdParser(ShareId), "The share_id of an assignment")
    ),
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Every mail that finally failed since the given time"),
      Flag.withDefault(false)
    ),
    since: Parameter.declareOptionalFlag(
      "since",
      Parser.startTimestampParser,
      "TIMESTAMP",
      "With --all: mails that failed at this time or later"
    ),
    open: Flag.Boolean("open").pipe(
      Flag.withDescription("The mail about the current step of every open request"),
      Flag.withDefault(false)
    ),
    limit: Parameter.declareOptionalFlag(
      "limit",
      Parser.makeIntegerParser(1, 1000),
      "N",
      "With --open: the maximum number of requests, by default 1000"
    ),
    after: Parameter.declareOptionalFlag(
      "after",
      Parser.makeIdParser(ShareId),
      "NEXT",
      "With --open: the requests after the run with this `next`"
    )
  },
  Effect.fn(function* ({ after, all, limit, open, shareId, since }) {
    yield* failWithUsageErrorIf(
      [all, open, Option.isSome(shareId)].filter(Boolean).length !== 1 ||
        all !== Option.isSome(since) ||
        (!open && (Option.isSome(limit) || Option.isSome(after))),
      "Give one share_id, or --all with --since TIMESTAMP for every mail that failed since then, or --open for every open request."
    )
    if (open) {
      const resent = resendOpen(
        after,
        Option.getOrElse(limit, () => 1000)
      )
      return yield* Effect.provide(resent, Administration.layer)
    }
    if (Option.isSome(shareId)) return yield* Effect.provide(resendOne(shareId.value), Administration.layer)
    if (Option.isSome(since)) yield* Effect.provide(resendAll(since.value), Administration.layer)
  })
).pipe(
  Command.withDescription(
    "Resend the mail about a request's current step, all failed mails, or the mails of all open requests"
  )
)

const resendOne = Effect.fnUntraced(function* (shareId: ShareId) {
  const kind = yield* (yield* CreatorAdministration)
    .resendMail(shareId)
    .pipe(explainActionRefusal(shareId, "mail its creator"))
  yield* printResult({
    json: () => ({ share_id: shareId, mail: kind }),
    text: () => [`Queued the ${kind.replaceAll("_", " ")} mail: a running server or worker sends it at once.`]
  })
})

const resendAll = Effect.fnUntraced(function* (since: Instant.Instant) {
  const resent = yield* (yield* CreatorAdministration).resendFailed(since)
  yield* printResult({
    json: () => ({ since: Instant.toIso(since), resent }),
    text: () =>
      resent === 0
        ? [`Nothing to do: no mail failed since ${Instant.toIso(since)}.`]
        : [
            `Queued ${resent} mail${resent === 1 ? "" : "s"}: a running server or worker sends them, except mails that are obsolete.`
          ]
  })
})

const resendOpen = Effect.fnUntraced(function* (after: Option.Option<ShareId>, limit: number) {
  const { listOpenShareIds } = yield* Effect.promise(
    () => import("@partner-commentary/sql/assignments/OpenAssignments")
  )
  const { resendMail } = yield* CreatorAdministration
  const { ids, next } = yield* listOpenShareIds(after, limit)
  // The administration refuses a request whose draft is not ready, and a request that was settled meanwhile.
  const sent = yield* Effect.forEach(ids, (id) =>
    Effect.match(resendMail(id), { onFailure: () => false, onSuccess: () => true })
  )
  const resent = sent.filter(Boolean).length
  const skipped = sent.length - resent
  yield* printResult({
    json: () => ({ resent, skipped, next }),
    text: () => [
      ids.length === 0
        ? "There are no open requests."
        : `Queued ${resent} mail${resent === 1 ? "" : "s"}: a running server or worker sends them at once.`,
      ...(skipped === 0 ? [] : [`${skipped} of the requests need no mail now, because a draft's mail will follow.`]),
      ...(next === null ? [] : [`There are more: --after ${next}`])
    ]
  })
})

export const mailCommand = Command.make("mail").pipe(
  Command.withDescription("Waiting and failed mails"),
  Command.withSubcommands([list, resend])
)
