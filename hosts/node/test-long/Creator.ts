/**
 * Sends one creator's requests for one assignment over the JSON creator API. The requests follow the plan, and every
 * action that the service acknowledges is recorded.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type ApiResponse, callApi } from "./Call.ts"
import type { AssignmentPlan } from "./Plan.ts"

export interface CreatorPageAssignment {
  readonly share_id: string
  readonly status: string
  readonly persona: { readonly id: string }
  readonly topic: { readonly content: string }
  readonly draft: { readonly id: string; readonly content: string; readonly number: number } | null
  readonly generation: "running" | "stalled" | null
  readonly commentary: { readonly id: string; readonly content: string } | null
  readonly failure: { readonly reason: string } | null
}

/** The expected final state of an assignment. */
export interface ExpectedAssignmentState {
  readonly status: string
  readonly failure: string | null
  readonly content: string | null
}

/**
 * The period from the first attempt of a request to its acknowledgement. The service executed the requested action
 * between the first attempt and the acknowledgement.
 */
export interface AcknowledgementPeriod {
  readonly from: number
  readonly by: number
}

export interface AcknowledgedActionPeriods {
  /** The period in which the creator responded to the request or declined the request. */
  answered: AcknowledgementPeriod | null
  /** Maps each draft number to the period in which the draft was replaced, approved or withdrawn. */
  readonly drafts: Map<number, AcknowledgementPeriod>
}

export interface SimulatedCreatorContext {
  /** The URL of the creator's link, in the form `{api_root}/creator/{token}`. */
  readonly address: string
  readonly onSend: () => void
  /** Resolves when the mail about the draft with the given number has arrived. */
  readonly draftMail: (number: number) => Promise<unknown>
  readonly acknowledged: AcknowledgedActionPeriods
  /** Counts an acknowledged action. */
  readonly count: () => void
}

/** The time in milliseconds after which a missing draft fails the run. */
const draftTimeoutMs = 100_000

const order = ["topic_sent", "opinion_injected", "commentary_generated", "creator_approved"]

export const simulateCreator = async (
  plan: AssignmentPlan,
  context: SimulatedCreatorContext
): Promise<ExpectedAssignmentState> => {
  const { acknowledged, address, count, onSend } = context
  const { course, perspective, random } = plan
  let reached = 0

  /** Checks that an assignment's status never returns to an earlier status. */
  const seen = ({ data, ...answer }: ApiResponse<CreatorPageAssignment>): CreatorPageAssignment => {
    if (answer.status !== 200) throw new Error(`${plan.name} (${course}) was answered ${JSON.stringify(answer.body)}`)
    const place = order.indexOf(data.status)
    if (place >= 0 && place < reached) throw new Error(`${plan.name} went back to ${data.status}`)
    reached = Math.max(reached, place)
    return data
  }
  const look = async () => seen(await callApi<CreatorPageAssignment>(address))
  const act = async (action: string, body: unknown) => {
    const view = seen(await callApi<CreatorPageAssignment>(`${address}/${action}`, { body, onSend }))
    count()
    return view
  }

  /**
   * Waits for the draft with the given number and, if the plan says so, for the mail about the draft. Restarts the
   * draft's generation if all attempts have failed.
   */
  const draft = async (
    number: number,
    startAgain: () => Promise<unknown>
  ): Promise<NonNullable<CreatorPageAssignment["draft"]>> => {
    const until = Date.now() + draftTimeoutMs
    let told = !plan.waitsForMail
    if (!told) void context.draftMail(number).then(() => (told = true))
    while (Date.now() < until) {
      const view = await look()
      const isThere = view.draft?.number === number
      if (isThere && told) return view.draft
      if (!isThere && view.generation === "stalled") await startAgain()
      else if (!isThere && view.generation !== "running") throw new Error(`${plan.name}: nobody writes draft ${number}`)
      await sleep(random.between(1500, 2500))
    }
    throw new Error(`${plan.name} got no draft ${number}, or no mail about it, within ${draftTimeoutMs} ms`)
  }

  if (course === "silent") return { status: "expired", failure: "expired", content: null }
  await sleep(random.between(0, 2500))
  let from = Date.now()
  if (course === "decline") {
    await act("decline", { reason: `Not mine, number ${plan.name}.` })
    acknowledged.answered = { from, by: Date.now() }
    return { status: "declined", failure: "declined", content: null }
  }
  if ((await act("respond", { perspective })).status === "topic_sent") throw new Error(`${plan.name} did not respond`)
  acknowledged.answered = { from, by: Date.now() }

  // The result of `revise` is ignored: if a response was lost, the service refuses the repeated request because the
  // generation is already running.
  let present = await draft(1, () => callApi(`${address}/revise`, { body: {}, onSend }))
  if (course === "abandon") return { status: "commentary_generated", failure: "approval_timeout", content: null }
  for (let revision = 1; revision <= plan.revisions; revision++) {
    const wish = { draft_id: present.id, instructions: `Shorter, please, for the ${revision}. time.` }
    from = Date.now()
    await act("revise", wish)
    present = await draft(present.number + 1, () => act("revise", wish))
    acknowledged.drafts.set(present.number - 1, { from, by: Date.now() })
  }
  if (!present.content.includes(perspective)) throw new Error(`${plan.name} got somebody else's draft`)
  await sleep(random.between(0, 1500))
  from = Date.now()
  if (course === "withdraw") {
    await act("withdraw", { reason: "On second thoughts, no." })
    acknowledged.drafts.set(present.number, { from, by: Date.now() })
    return { status: "commentary_generated", failure: "withdrawn", content: null }
  }
  const content = course === "edit" ? `Edited by hand, ${plan.name}: ${perspective}` : null
  await act("approve", { draft_id: present.id, ...(content === null ? {} : { content }) })
  acknowledged.drafts.set(present.number, { from, by: Date.now() })
  return { status: "creator_approved", failure: null, content: content ?? present.content }
}
