/** Submits each topic of a run until a response arrives, and records the topics that the service acknowledged. */
import { callApi } from "./Call.ts"
import type { TopicPlan } from "./Plan.ts"

export interface SubmittedTopic {
  readonly plan: TopicPlan
  readonly topicId: string
  /** `repeat` means that the response to the first request was lost, and a later request was refused as a duplicate. */
  readonly by: "answer" | "repeat"
  /** The number of earlier requests that failed without a complete response. */
  readonly broken: number
}

interface Result {
  readonly persona_id: string
  readonly status: string
  readonly duplicate_of?: { readonly topic_id: string }
}

interface Created {
  readonly topic_id: string
  readonly personas_sent: number
}

export interface PartnerConnection {
  readonly root: string
  readonly key: string
}

export const submitTopic = async (
  line: PartnerConnection,
  plan: TopicPlan,
  onSend: () => void
): Promise<SubmittedTopic> => {
  const asked = await send(line, plan, onSend)
  if (asked.status === 201 && asked.data.personas_sent === plan.assignments.length) {
    const submitted = { plan, topicId: asked.data.topic_id, by: "answer", broken: asked.broken } as const
    if (plan.repeated) {
      const holder = holderOf((await send(line, plan, onSend)).error?.details, plan)
      if (holder !== submitted.topicId) throw new Error(`topic ${plan.number} sent again is not a duplicate of itself`)
    }
    return submitted
  }
  const holder = holderOf(asked.error?.details, plan)
  if (holder === null || asked.broken === 0) {
    throw new Error(`topic ${plan.number} was answered ${asked.status} ${JSON.stringify(asked.body)}`)
  }
  return { plan, topicId: holder, by: "repeat", broken: asked.broken }
}

const send = ({ key, root }: PartnerConnection, plan: TopicPlan, onSend: () => void) =>
  callApi<Created>(`${root}/partner/v1/topics`, {
    key,
    onSend,
    body: {
      content: plan.content,
      persona_ids: plan.assignments.map(({ personaId }) => personaId),
      external_reference: plan.reference,
      metadata: { number: plan.number }
    }
  })

/** Returns the id of the earlier topic if all results are duplicates of the same topic, and null otherwise. */
const holderOf = (details: unknown, plan: TopicPlan): string | null => {
  if (!Array.isArray(details) || details.length !== plan.assignments.length) return null
  const results = details as ReadonlyArray<Result>
  const [holder, ...others] = new Set(results.map(({ duplicate_of }) => duplicate_of?.topic_id))
  const all = results.every(({ status }) => status === "duplicate")
  return all && holder !== undefined && others.length === 0 ? holder : null
}
