/**
 * A random walk through the workflow beside a model of it. The model is written from the specification and its decisions,
 * not from the core: its table, its deadlines and its verdicts are its own. What it says is checked after every step.
 */
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert } from "vitest"
import { attemptFailed, beginsAttempt, drafted, wake } from "../../src/commentary/Generation.ts"
import type { Policy } from "../../src/shared/Policy.ts"
import type { Assignment } from "../../src/topic/Assignment.ts"
import type { ActionRefused, Change, Notice } from "../../src/topic/Workflow.ts"
import * as Workflow from "../../src/topic/Workflow.ts"
import { commentaryId, draftId, freshAssignment } from "./FreshAssignment.ts"

type Named = "unnamed" | "present" | "former"

export type Action =
  | { readonly do: "wait"; readonly until: "later" | "before due" | "due" | "before deadline" | "deadline"; ms: number }
  | { readonly do: "wake" | "notified" | "restart" }
  | { readonly do: "respond"; readonly words: string }
  | { readonly do: "decline" | "withdraw"; readonly words: string | null }
  | { readonly do: "approve"; readonly draft: Named; readonly words: string | null }
  | { readonly do: "revise"; readonly draft: Named; readonly words: string }
  /** `back` 0: the latest attempt that was begun; 1: the one before; … */
  | { readonly do: "drafted"; readonly back: number }
  | { readonly do: "attempt failed"; readonly back: number; readonly permanent: boolean }

const hour = 3_600_000
const words = fc.constantFrom("one thing", "another")
const silence = fc.option(words)
const named = fc.constantFrom<Named>("unnamed", "present", "present", "former")
const back = fc.constantFrom(0, 0, 0, 0, 1, 2)

export const actions: fc.Arbitrary<ReadonlyArray<Action>> = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant("wait" as const),
      until: fc.constantFrom("later", "before due", "due", "due", "before deadline", "deadline"),
      ms: fc.integer({ min: 0, max: 30 * hour })
    }),
    { arbitrary: fc.record({ do: fc.constant("wake" as const) }), weight: 3 },
    fc.record({ do: fc.constantFrom("notified" as const, "restart" as const) }),
    fc.record({ do: fc.constant("respond" as const), words }),
    fc.record({ do: fc.constant("decline" as const), words: silence }),
    fc.record({ do: fc.constant("withdraw" as const), words: silence }),
    fc.record({ do: fc.constant("approve" as const), draft: named, words: silence }),
    { arbitrary: fc.record({ do: fc.constant("revise" as const), draft: named, words }), weight: 2 },
    { arbitrary: fc.record({ do: fc.constant("drafted" as const), back }), weight: 2 },
    fc.record({ do: fc.constant("attempt failed" as const), back, permanent: fc.boolean() })
  ),
  { maxLength: 60, size: "max" }
)

const duration = (min: number, max: number) => fc.integer({ min, max }).map((ms) => Duration.millis(ms))

export const policies = (defaults: Policy): fc.Arbitrary<Policy> =>
  fc.record({
    ...(Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, fc.constant(value)])) as {
      [Name in keyof Policy]: fc.Arbitrary<Policy[Name]>
    }),
    responseWindow: duration(1, 72 * hour),
    mailWindow: duration(0, 24 * hour),
    approvalWindow: duration(1, 240 * hour),
    generationRetries: fc.array(duration(1, 6 * hour), { maxLength: 4 }),
    generationGrace: duration(1, 24 * hour),
    maxDrafts: fc.integer({ min: 1, max: 4 }),
    lease: duration(1, hour)
  })

/** Section 3 of the specification, with what sets each row off. What is not here must not happen. */
const table = [
  "topic_sent -respond-> opinion_injected",
  "opinion_injected -drafted-> commentary_generated",
  "commentary_generated -approve-> creator_approved",
  "topic_sent -decline-> declined",
  "topic_sent -wake-> expired"
]

/** Which failure may stand beside which status: the one it was settled in. */
const settledIn = {
  declined: "declined",
  expired: "expired",
  generation_failed: "opinion_injected",
  approval_timeout: "commentary_generated",
  withdrawn: "commentary_generated"
}

export interface Walk {
  now: number
  present: Assignment
  readonly policy: Policy
  /** What became of each attempt, by its ticket. */
  readonly attempts: Map<number, "running" | "lost" | "ended">
  /** Attempts begun since somebody last wanted a draft. */
  begun: number
  /** A draft is wanted, and attempts at it are left. */
  wanted: boolean
  giveUpAt: number | null
  revised: { readonly draft: string; readonly words: string } | null
  readonly drafts: Array<string>
  readonly notices: Array<Notice>
}

/** `no change`: refused or answered as it is; both are right. */
type Verdict = "changes" | "same" | "refused" | "no change" | "either"

export const begin = (policy: Policy, environment: Assignment["environment"]): Walk => {
  const present = freshAssignment(policy, environment)
  return {
    now: present.createdAt,
    present,
    policy,
    attempts: new Map(),
    begun: 0,
    wanted: false,
    giveUpAt: null,
    revised: null,
    drafts: [],
    notices: []
  }
}

const final = (present: Assignment) =>
  ["creator_approved", "declined", "expired"].includes(present.status) || present.failure !== null

const stalled = (walk: Walk) => !final(walk.present) && !walk.wanted && walk.begun > 0

const deadline = ({ giveUpAt, policy, present }: Walk): number | null => {
  if (final(present)) return null
  if (present.status === "topic_sent") {
    const start = Math.min(present.notifiedAt ?? Number.POSITIVE_INFINITY, present.createdAt + ms(policy.mailWindow))
    return start + ms(policy.responseWindow)
  }
  return present.draft === null ? giveUpAt : present.draft.createdAt + ms(policy.approvalWindow)
}

const isLate = (walk: Walk) => walk.now >= (deadline(walk) ?? Number.POSITIVE_INFINITY)
const ms = Duration.toMillis

const idOf = (walk: Walk, which: Named) =>
  which === "unnamed" ? null : which === "present" ? (walk.drafts.at(-1) ?? "none") : (walk.drafts.at(-2) ?? "none")

const mayActOnDraft = (walk: Walk, which: Named): boolean =>
  walk.present.status === "commentary_generated" &&
  !final(walk.present) &&
  !isLate(walk) &&
  (which === "unnamed" ? walk.drafts.length === 1 : idOf(walk, which) === walk.drafts.at(-1))

const ticketOf = (walk: Walk, action: { readonly back: number }) => [...walk.attempts.keys()].at(-1 - action.back) ?? 0

const verdictOf = (walk: Walk, action: Action): Verdict => {
  const { now, policy, present } = walk
  const open = present.status === "topic_sent" && !isLate(walk)
  switch (action.do) {
    case "wait":
      return "same"
    case "wake":
      return present.dueAt !== null && present.dueAt <= now ? "changes" : "same"
    case "notified":
      return present.status === "topic_sent" && present.notifiedAt === null ? "changes" : "same"
    case "respond":
      if (open) return "changes"
      return present.perspective === action.words ? "same" : "refused"
    case "decline":
      if (open) return "changes"
      return present.status === "declined" && present.declineReason === action.words ? "same" : "refused"
    case "withdraw":
      if (mayActOnDraft(walk, "present")) return "changes"
      return present.failure?.reason === "withdrawn" && present.withdrawReason === action.words ? "same" : "refused"
    case "approve": {
      if (present.commentary === null) return mayActOnDraft(walk, action.draft) ? "changes" : "refused"
      const about = idOf(walk, action.draft) ?? present.draft?.id
      const content = action.words ?? present.draft?.content
      if (about !== present.commentary.draftId || content !== present.commentary.content) return "refused"
      return action.draft === "unnamed" && walk.drafts.length > 1 ? "no change" : "same"
    }
    case "revise": {
      if (stalled(walk) && present.draft === null && action.draft === "unnamed")
        return isLate(walk) ? "refused" : "changes"
      const about = idOf(walk, action.draft) ?? walk.drafts.at(-1)
      const again = walk.revised !== null && walk.revised.draft === about && walk.revised.words === action.words
      if (again && (walk.wanted || about !== walk.drafts.at(-1))) return final(present) ? "no change" : "same"
      const may = mayActOnDraft(walk, action.draft) && !walk.wanted && walk.drafts.length < policy.maxDrafts
      return may ? "changes" : "no change"
    }
    case "restart":
      return stalled(walk) && !isLate(walk) ? "changes" : "refused"
    case "drafted": {
      if (final(present) || isLate(walk) || action.back > 0) return "same"
      const attempt = walk.attempts.get(ticketOf(walk, action))
      if (attempt === "running") return "changes"
      // The last attempt was taken for lost and comes after all: welcome or not, as long as nothing new was begun.
      return attempt === "lost" && !walk.wanted ? "either" : "same"
    }
    case "attempt failed":
      if (final(present) || walk.attempts.get(ticketOf(walk, action)) !== "running") return "same"
      return isLate(walk) ? "either" : "changes"
  }
}

type Step = Result.Result<Change, ActionRefused>

const take = (walk: Walk, action: Action): Step => {
  const { now, policy, present } = walk
  const same = Result.succeed({ assignment: present, notices: [] })
  switch (action.do) {
    case "wait":
      return same
    case "wake":
      return Option.match(wake(present, now, policy), { onNone: () => same, onSome: Result.succeed })
    case "notified":
      return Result.succeed(Workflow.notified(present, "mail", now, policy))
    case "restart":
      return Workflow.restart(present, now, "operator.restarted")
    case "respond":
      return Workflow.respond(present, { perspective: action.words }, now)
    case "decline":
      return Workflow.decline(present, { reason: action.words }, now)
    case "withdraw":
      return Workflow.withdraw(present, { reason: action.words }, now)
    case "approve": {
      const about = idOf(walk, action.draft) as ReturnType<typeof draftId> | null
      const id = commentaryId(walk.drafts.length)
      return Workflow.approve(
        present,
        { draftId: about, content: action.words, commentaryId: id, contentHash: "" },
        now
      )
    }
    case "revise": {
      const about = idOf(walk, action.draft) as ReturnType<typeof draftId> | null
      return Workflow.revise(present, { draftId: about, instructions: action.words }, now, policy)
    }
    case "drafted": {
      const ticket = ticketOf(walk, action)
      if (!walk.attempts.has(ticket)) return same
      const attempt = { ticket, draftId: draftId(walk.drafts.length + 1), content: `draft ${walk.drafts.length + 1}` }
      return Result.succeed(drafted(present, attempt, now, policy))
    }
    case "attempt failed": {
      const ticket = ticketOf(walk, action)
      if (!walk.attempts.has(ticket)) return same
      return Result.succeed(attemptFailed(present, { ticket, permanent: action.permanent }, now, policy))
    }
  }
}

const pass = (walk: Walk, action: Action & { readonly do: "wait" }) => {
  const due = walk.present.dueAt ?? walk.now
  const end = deadline(walk) ?? walk.now
  const to = { later: walk.now + action.ms, "before due": due - 1, due, "before deadline": end - 1, deadline: end }
  walk.now = Math.max(walk.now, to[action.until])
}

/** Takes one step, and checks all that must hold of it and after it. */
export const step = (walk: Walk, action: Action): void => {
  if (action.do === "wait") pass(walk, action)
  const { now, policy, present: before } = walk
  const late = isLate(walk)
  const verdict = verdictOf(walk, action)
  const result = take(walk, action)
  const after = Result.isSuccess(result) ? result.success.assignment : before
  const changed = after !== before
  if (verdict === "changes") assert.isTrue(changed, "must change")
  else if (verdict !== "either") assert.strictEqual(after, before, "must not change")
  if (verdict === "refused") assert.isTrue(Result.isFailure(result), "must be refused")
  if (verdict === "same") assert.isTrue(Result.isSuccess(result), "must be answered as it is")

  if (after.status !== before.status) assert.include(table, `${before.status} -${action.do}-> ${after.status}`)
  assert.strictEqual(after.statusUpdatedAt, after.status === before.status ? before.statusUpdatedAt : now)
  if (late && changed && action.do !== "notified" && action.do !== "attempt failed")
    assert.isTrue(final(after), "past its deadline nothing happens but the end")
  if (late) assert.strictEqual(after.failure !== null, action.do === "wake" || before.failure !== null)

  assert.strictEqual(after.dueAt === null, final(after), "due exactly while not settled")
  assert.strictEqual(after.failure !== null, final(after) && after.status !== "creator_approved")
  if (after.failure !== null) assert.strictEqual(after.status, settledIn[after.failure.reason])
  assert.strictEqual(after.commentary !== null, after.status === "creator_approved")

  const given = Result.isSuccess(result) ? result.success.notices : []
  remember(walk, action, after, given)
  assert.strictEqual(walk.present.generation.nextAt !== null, walk.wanted, "attempts are due exactly while wanted")
  assert.strictEqual(walk.present.generation.giveUpAt, final(after) ? null : walk.giveUpAt)
  assert.isAtMost(walk.drafts.length, policy.maxDrafts)
  assert.strictEqual(after.draft?.id ?? null, walk.drafts.at(-1) ?? null)
  assert.strictEqual(after.draft?.number ?? 0, walk.drafts.length)
  if (!final(after) && after.status !== "opinion_injected")
    assert.strictEqual(after.status === "topic_sent" ? after.respondBy : after.approveBy, deadline(walk))
  checkAgenda(walk)
}

/** Waking at the due moment always does something, before it never; and what is overdue ends after a few wakes. */
const checkAgenda = ({ now, policy, present }: Walk) => {
  const { dueAt } = present
  if (dueAt === null) return assert.isTrue(Option.isNone(wake(present, now + 1000 * hour, policy)))
  assert.isTrue(Option.isNone(wake(present, dueAt - 1, policy)), "nothing happens before it is due")
  let next: Assignment = present
  for (let times = 0; next.dueAt !== null && next.dueAt <= Math.max(now, dueAt); times++) {
    assert.isBelow(times, 4, "being overdue ends")
    const change = wake(next, Math.max(now, dueAt), policy)
    next = Option.getOrThrow(change).assignment
  }
}

/** Moves the model on. */
const remember = (walk: Walk, action: Action, after: Assignment, given: ReadonlyArray<Notice>) => {
  const { now, policy, present: before } = walk
  const latest = ticketOf(walk, { back: 0 })
  walk.present = after
  if (before.environment === "test") assert.deepStrictEqual(given, [], "the test environment sends no mail")
  for (const notice of given) checkNotice(walk, before, notice)
  if (after === before) return
  const stall = () => {
    walk.wanted = false
    walk.giveUpAt = before.draft === null ? now + ms(policy.generationGrace) : null
  }
  if (action.do === "respond" || action.do === "restart" || action.do === "revise") {
    if (action.do === "revise" && before.draft !== null)
      walk.revised = { draft: idOf(walk, action.draft) ?? before.draft.id, words: action.words }
    Object.assign(walk, { wanted: true, begun: 0, giveUpAt: null })
    assert.strictEqual(after.generation.nextAt, now)
  }
  if (action.do === "drafted") {
    walk.attempts.set(latest, "ended")
    walk.drafts.push(after.draft?.id ?? "none")
    Object.assign(walk, { wanted: false, begun: 0, giveUpAt: null })
  }
  if (action.do === "attempt failed") {
    walk.attempts.set(latest, "ended")
    const delay = policy.generationRetries[walk.begun - 1]
    if (action.permanent || delay === undefined) stall()
    else assert.strictEqual(after.generation.nextAt, now + ms(delay))
  }
  if (action.do === "wake" && !final(after) && now >= (before.generation.nextAt ?? Number.POSITIVE_INFINITY)) {
    if (walk.attempts.get(latest) === "running") walk.attempts.set(latest, "lost")
    if (walk.begun > policy.generationRetries.length) {
      assert.isFalse(beginsAttempt(before, after))
      stall()
    } else {
      walk.begun += 1
      assert.isAbove(after.generation.ticket, latest, "a ticket for each attempt")
      assert.isTrue(beginsAttempt(before, after))
      walk.attempts.set(after.generation.ticket, "running")
      assert.strictEqual(after.generation.nextAt, now + ms(policy.lease))
    }
  }
  if (final(after)) walk.wanted = false
}

const checkNotice = ({ notices, now, policy }: Walk, before: Assignment, notice: Notice) => {
  assert.notDeepInclude(notices, notice, "a notice goes out once")
  notices.push(notice)
  const half = { reminder: 0.5, approval_reminder: 0.5, approval_last_call: 0.9 }
  const { draft, notifiedAt, respondBy } = before
  if (notice.kind === "reminder") {
    const from = notifiedAt ?? Number.POSITIVE_INFINITY
    assert.isAtLeast(now, Math.round(from + (respondBy - from) * half.reminder))
  }
  if (notice.kind === "approval_reminder" || notice.kind === "approval_last_call") {
    const from = draft?.createdAt ?? Number.POSITIVE_INFINITY
    assert.isAtLeast(now, Math.round(from + ms(policy.approvalWindow) * half[notice.kind]))
  }
}
